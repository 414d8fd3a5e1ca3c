"""Queries on what is done by itself: when each kind was done last and comes next, and what failed."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import Job, WebhookEndpoint
from webapp.queries.common import lookups

MOST_SHOWN = 100


def open_and_failed(organization_id: str) -> Sequence[Job]:
    """List the jobs of the books that wait or run, and all that failed, the next ones first."""
    return db.session.scalars(
        sa.select(Job)
        .where(
            Job.organization_id == organization_id,
            Job.state != "DONE",
            sa.or_(Job.subject == "", Job.state == "FAILED"),
        )
        .order_by(Job.run_at, Job.id)
        .limit(MOST_SHOWN)
    ).all()


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
    failed = sa.select(sa.func.count()).where(Job.organization_id == organization_id, Job.state == "FAILED")
    return (db.session.scalar(failed) or 0) + len(paused_webhooks(organization_id))


def paused_webhooks(organization_id: str) -> Sequence[WebhookEndpoint]:
    """List the webhooks that pause because they failed for days."""
    paused = WebhookEndpoint.status == "PAUSED", WebhookEndpoint.failing_since.is_not(None)
    found = sa.select(WebhookEndpoint).where(WebhookEndpoint.organization_id == organization_id, *paused)
    return db.session.scalars(found.order_by(WebhookEndpoint.id)).all()
