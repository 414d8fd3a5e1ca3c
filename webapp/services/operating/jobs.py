"""Jobs: wanted, claimed under a lease, and ended in the transaction of their effect; which are done by themselves."""

import secrets
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.functions import seconds_from_now
from webapp.database.sessions import db, insert_unless
from webapp.ledger.codes import SCHEDULES
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.models import Job, Organization
from webapp.models.base import table_of
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.field_changes import change
from webapp.services.operating import timetable

LEASE_SECONDS: Final = 15
MOST_ATTEMPTS, MOST_DEATHS = 8, 20
# Seconds until it is tried again, doubled with each attempt.
FIRST_PAUSE: Final = 30
LONGEST_PAUSE: Final = 6 * 60 * 60
LONGEST_ERROR: Final = 2000
DEADLY: Final = (
    "The worker died each time that it did this. Look at its log and at the memory of the machine."
)
KEPT: Final = timedelta(days=30)
# Looked at for one that is free, while other workers look too.
AT_ONCE: Final = 20
JOBS: Final = table_of(Job)
NAMES: Final = {
    timetable.RATES: "the daily exchange rates",
    timetable.DELETION: "the deletion of old files",
    timetable.CHECK: "the weekly check",
    SCHEDULES: "the posting of schedules",
}
_FREE: Final = {"leased_by": None, "leased_until": None}


class LostLeaseError(Exception):
    """Another worker has the job, so that nothing of it may be stored here."""


class JobRunsError(LedgerError):
    """This is being done at the moment; look again in a minute."""

    code = "job_runs"


@dataclass(frozen=True, slots=True)
class HeldJob:
    """A job that a worker holds, and how often it failed so far."""

    organization_id: str
    id: int
    kind: str
    subject: str
    failures: int
    worker: str


def want(
    organization_id: str, kind: str, occurrence: str, *, subject: str = "", at: datetime, now: datetime
) -> None:
    """Let something be done from an instant on, once this transaction is committed; once for each occurrence."""
    row = {
        "organization_id": organization_id,
        "kind": kind,
        "subject": subject,
        "occurrence": occurrence,
        "state": "WAITING",
        "run_at": at,
        "attempts": 0,
        "deaths": 0,
        "created_at": now,
    }
    db.session.execute(insert_unless(table_of(Job)).values(row).on_conflict_do_nothing())


def want_next(organization: Organization, kind: str, now: datetime) -> None:
    """Let something that is done by itself be done at its next time."""
    day, at = timetable.next_run(kind, organization.id, organization.time_zone, now)
    want(organization.id, kind, day.isoformat(), at=at, now=now)


def unplanned() -> list[tuple[str, set[str]]]:
    """List the organizations of which something that is done by itself does not wait for its next time."""
    waiting = db.session.execute(
        sa.select(Job.organization_id, Job.kind).where(Job.state.in_(("WAITING", "RUNNING")))
    ).all()
    planned = {(row.organization_id, row.kind) for row in waiting}
    missing = (
        (each.id, {kind for kind in each.automatic if (each.id, kind) not in planned})
        for each in db.session.execute(sa.select(Organization.id, Organization.automatic))
    )
    return [(organization_id, kinds) for organization_id, kinds in missing if kinds]


def switch(organization: Organization, kind: str, *, is_on: bool, actor: Actor, now: datetime) -> None:
    """Let something be done by itself from now on, or no more."""
    target, payload = ("organization", organization.id), {"kind": kind, "isOn": is_on}
    title = f"Switched {NAMES[kind]} {'on' if is_on else 'off'}"
    with act(actor, now, "switch_job", target, title=title, payload=payload) as doing:
        kinds = {*organization.automatic, kind} if is_on else {*organization.automatic} - {kind}
        change(organization, {"automatic": sorted(kinds)}, doing)
        if is_on:
            want(organization.id, kind, now.isoformat(), at=now, now=now)
        else:
            db.session.execute(_of_books(organization.id, sa.delete(JOBS)).where(_waits(kind)))


def due(worker: str) -> list[tuple[str, int]]:
    """List some jobs that nobody does, of any organization: each by its organization and id, the longest due first."""
    found = db.session.execute(
        sa.select(Job.organization_id, Job.id)
        .where(_is_free(worker))
        .order_by(Job.run_at, Job.id)
        .limit(AT_ONCE)
    )
    return [(row.organization_id, row.id) for row in found]


def claim(organization_id: str, job_id: int, worker: str, now: datetime) -> HeldJob | None:
    """Take a job, unless somebody else has it by now, or it has failed as too many workers died of it."""
    died = sa.case((sa.and_(JOBS.c.state == "RUNNING", JOBS.c.leased_by != worker), 1), else_=0)
    taken = (
        _of_books(organization_id, sa.update(JOBS))
        .where(JOBS.c.id == job_id, _is_free(worker))
        .values(
            state="RUNNING",
            leased_by=worker,
            leased_until=seconds_from_now(LEASE_SECONDS),
            deaths=JOBS.c.deaths + died,
        )
        .returning(JOBS.c.kind, JOBS.c.subject, JOBS.c.attempts, JOBS.c.deaths)
    )
    row = db.session.execute(taken).one_or_none()
    if row is None:
        return None
    claimed = HeldJob(organization_id, job_id, row.kind, row.subject, row.attempts, worker)
    if row.deaths < MOST_DEATHS:
        return claimed
    fail(claimed, DEADLY, now, is_final=True)
    return None


def renewed(claimed: HeldJob) -> Any:
    """Write the statement that lets a lease begin anew; it finds no row where the lease is lost."""
    return _held(claimed).values(leased_until=seconds_from_now(LEASE_SECONDS))


def hold(claimed: HeldJob) -> None:
    """Make sure in the open transaction that the job is still held; raises LostLeaseError."""
    _end(renewed(claimed))


def finish(claimed: HeldJob, now: datetime) -> None:
    """End a job in the transaction of its effect, and plan its next time; raises LostLeaseError."""
    _end(_held(claimed).values(state="DONE", ended_at=now, error=None, **_FREE))
    # What failed before went well since.
    same = sa.and_(JOBS.c.kind == claimed.kind, JOBS.c.subject == claimed.subject, JOBS.c.state == "FAILED")
    is_old = sa.and_(JOBS.c.state == "DONE", JOBS.c.ended_at < now - KEPT)
    db.session.execute(_of_books(claimed.organization_id, sa.delete(JOBS)).where(sa.or_(same, is_old)))
    _want_again(claimed, now)


def fail(claimed: HeldJob, error: str, now: datetime, *, is_final: bool) -> None:
    """Let a job be tried again later, or say that it failed; raises LostLeaseError."""
    # A worker that died in the middle of it is no failure: such a job does not wait longer.
    said = {"error": error[:LONGEST_ERROR], "attempts": claimed.failures + 1, **_FREE}
    if is_final or claimed.failures + 1 >= MOST_ATTEMPTS:
        _end(_held(claimed).values(state="FAILED", ended_at=now, **said))
        _want_again(claimed, now)
        return
    pause = min(FIRST_PAUSE * 2**claimed.failures, LONGEST_PAUSE)
    # Those that failed together are not tried again together.
    pause += secrets.randbelow(pause // 2 + 1)
    _end(_held(claimed).values(state="WAITING", run_at=seconds_from_now(pause), **said))


def release(claimed: HeldJob) -> None:
    """Give a job back that was not ended, as the worker ends; raises LostLeaseError."""
    _end(_held(claimed).values(state="WAITING", **_FREE))


def run_now(organization_id: str, job_id: int) -> None:
    """Let a job that waits or failed be done at once; raises NotFoundError or JobRunsError."""
    again = {"state": "WAITING", "run_at": seconds_from_now(0), "attempts": 0, "deaths": 0, "ended_at": None}
    mine = JOBS.c.id == job_id
    found = db.session.execute(
        _of_books(organization_id, sa.update(JOBS))
        .where(mine, JOBS.c.state.in_(("WAITING", "FAILED")))
        .values(again)
        .returning(JOBS.c.id)
    )
    if found.one_or_none() is None:
        state = db.session.scalar(_of_books(organization_id, sa.select(JOBS.c.state)).where(mine))
        raise NotFoundError if state is None else JobRunsError


def want_now(organization_id: str, kind: str, subject: str, now: datetime) -> int:
    """Let a subject's job be done at once, the one that waits or a new one, and give its id; raises JobRunsError."""
    mine = _of_books(organization_id, sa.select(JOBS.c.id, JOBS.c.state)).where(
        JOBS.c.kind == kind, JOBS.c.subject == subject, JOBS.c.state.in_(("WAITING", "RUNNING"))
    )
    found = {row.state: row.id for row in db.session.execute(mine)}
    if "RUNNING" in found:
        raise JobRunsError
    if "WAITING" not in found:
        want(organization_id, kind, now.isoformat(), subject=subject, at=now, now=now)
        found = {row.state: row.id for row in db.session.execute(mine)}
    run_now(organization_id, found["WAITING"])
    return int(found["WAITING"])


def drop(organization_id: str, kind: str, subject: str) -> None:
    """Let a subject's job that waits or failed not be done."""
    is_open = JOBS.c.subject == subject, JOBS.c.kind == kind, JOBS.c.state.in_(("WAITING", "FAILED"))
    db.session.execute(_of_books(organization_id, sa.delete(JOBS)).where(*is_open))


def free(worker: str) -> None:
    """Free what a worker held that has ended, behind what else is due: it may have died of this."""
    held = JOBS.c.state == "RUNNING", JOBS.c.leased_by == worker
    db.session.execute(sa.update(JOBS).where(*held).values(leased_until=None, run_at=seconds_from_now(0)))


def _of_books(organization_id: str, statement: Any) -> Any:
    return statement.where(JOBS.c.organization_id == organization_id)


def _waits(kind: str) -> sa.ColumnElement[bool]:
    return sa.and_(JOBS.c.kind == kind, JOBS.c.state == "WAITING")


def _is_free(worker: str) -> sa.ColumnElement[bool]:
    """Build the condition that a job is due and held by nobody else; a lease that is over holds nothing."""
    now = seconds_from_now(0)
    is_over = sa.or_(JOBS.c.leased_until.is_(None), JOBS.c.leased_until < now, JOBS.c.leased_by == worker)
    return sa.or_(
        sa.and_(JOBS.c.state == "WAITING", JOBS.c.run_at <= now), sa.and_(JOBS.c.state == "RUNNING", is_over)
    )


def _held(claimed: HeldJob) -> Any:
    return _of_books(claimed.organization_id, sa.update(JOBS)).where(
        JOBS.c.id == claimed.id, JOBS.c.state == "RUNNING", JOBS.c.leased_by == claimed.worker
    )


def _end(statement: Any) -> None:
    if db.session.execute(statement.returning(JOBS.c.id)).one_or_none() is None:
        raise LostLeaseError


def _want_again(claimed: HeldJob, now: datetime) -> None:
    organization = db.session.get_one(Organization, claimed.organization_id)
    if not claimed.subject and claimed.kind in organization.automatic:
        want_next(organization, claimed.kind, now)
