"""Queries on what is done by itself: when each kind was done last and comes next, and what failed."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.database.tenancy import count_in_all_books
from webapp.models import Job, WebhookEndpoint
from webapp.queries.common import lookups
from webapp.queries.common.made_once import made_once

MOST_SHOWN = 100
_IS_PAUSED = WebhookEndpoint.status == "PAUSED", WebhookEndpoint.failing_since.is_not(None)


def next_of_kinds(organization_id: str) -> dict[str, Job]:
    """Give the job of each kind that runs or comes next, whatever its subject."""
    place = sa.func.row_number().over(partition_by=Job.kind, order_by=(Job.run_at, Job.id))
    is_open = Job.organization_id == organization_id, Job.state.in_(("WAITING", "RUNNING"))
    placed = sa.select(Job.id, place.label("place")).where(*is_open).subquery()
    first = sa.select(placed.c.id).where(placed.c.place == 1)
    found = sa.select(Job).where(Job.organization_id == organization_id, Job.id.in_(first))
    return {each.kind: each for each in db.session.scalars(found)}


def failed(organization_id: str) -> Sequence[Job]:
    """List the jobs of the books that failed, the newest first."""
    is_failed = Job.organization_id == organization_id, Job.state == "FAILED"
    found = sa.select(Job).where(*is_failed).order_by(Job.id.desc()).limit(MOST_SHOWN)
    return db.session.scalars(found).all()


def get(organization_id: str, job_id: int) -> Job:
    """Find a job, or raise NotFoundError."""
    return lookups.get(Job, organization_id, job_id)


def last_ends(organization_id: str) -> dict[str, datetime]:
    """Give the instant at which each kind was done last."""
    ended = sa.select(Job.kind, sa.func.max(Job.ended_at)).where(
        Job.organization_id == organization_id, Job.state == "DONE"
    )
    return {kind: at for kind, at in db.session.execute(ended.group_by(Job.kind)) if at is not None}


def count_failed(organization_id: str) -> int:
    """Count the jobs that failed and were not done since, and the webhooks that were paused as they failed."""
    return db.session.scalar(*_count_failed(organization_id)) or 0


@made_once
def _count_failed(organization_id: str) -> sa.Select[int]:
    jobs = sa.select(sa.func.count()).where(Job.organization_id == organization_id, Job.state == "FAILED")
    webhooks = sa.select(sa.func.count()).where(
        WebhookEndpoint.organization_id == organization_id, *_IS_PAUSED
    )
    return sa.select(jobs.scalar_subquery() + webhooks.scalar_subquery())


def count_failed_in_all_books() -> int:
    """Count the jobs of all organizations that failed."""
    failed = sa.select(sa.func.count()).select_from(Job).where(Job.state == "FAILED")
    return count_in_all_books(db.session(), "count_failed_jobs", failed)


def paused_webhooks(organization_id: str) -> Sequence[WebhookEndpoint]:
    """List the webhooks that pause because they failed for days."""
    return db.session.scalars(*_paused_webhooks(organization_id)).all()


@made_once
def _paused_webhooks(organization_id: str) -> sa.Select[WebhookEndpoint]:
    found = sa.select(WebhookEndpoint).where(WebhookEndpoint.organization_id == organization_id, *_IS_PAUSED)
    return found.order_by(WebhookEndpoint.id)
