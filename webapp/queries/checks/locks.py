"""The locks against the audit trail: nothing was posted into a period that was closed to it at that moment."""

import json
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from datetime import date, datetime
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import COUNTING, AuditEvent, JournalEntry, LockException, of_same_organization, refers_to
from webapp.queries.checks.violations import Violation

AT_ONCE = 500
# The acts that move a lock, by the key under which they record its day: of all entries, and of adjusting ones.
ALL, ADJUSTMENTS = "lockDate", "adjustmentsLockDate"
MOVING: Final = {
    ALL: ("move_lock_date", "approve_close", "complete_close", "reopen_close"),
    ADJUSTMENTS: ("move_adjustments_lock",),
}
# By organization, the events that moved a lock, in their order, and the last closed day after each.
Moves = dict[str, list[tuple[int, date | None]]]


def posted_behind() -> Iterator[Violation]:
    """Find entries dated in a period that was closed to them when they were posted."""
    of_all, of_adjusting = _moves(ALL), _moves(ADJUSTMENTS)
    for organization_id in sorted({*of_all, *of_adjusting}):
        yield from _behind(organization_id, of_all[organization_id], of_adjusting[organization_id])


def _behind(
    organization_id: str,
    of_all: list[tuple[int, date | None]],
    of_adjusting: list[tuple[int, date | None]],
) -> Iterator[Violation]:
    latest = max((day for _, day in (*of_all, *of_adjusting) if day is not None), default=None)
    if latest is None:
        return
    rows = db.session.execute(
        sa.select(
            JournalEntry.id,
            JournalEntry.effective_on,
            JournalEntry.is_adjusting,
            AuditEvent.sequence,
            AuditEvent.at,
            LockException,
        )
        .join(
            AuditEvent,
            sa.and_(
                of_same_organization(AuditEvent, JournalEntry),
                AuditEvent.action_request_id == JournalEntry.action_request_id,
            ),
        )
        .outerjoin(LockException, refers_to(JournalEntry.lock_exception_id, LockException))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on <= latest,
            AuditEvent.sequence > min(moves[0][0] for moves in (of_all, of_adjusting) if moves),
        )
        .order_by(JournalEntry.id),
        execution_options={"yield_per": AT_ONCE},
    )
    for entry_id, day, is_adjusting, sequence, at, exception in rows:
        locked = _locked(of_adjusting if is_adjusting else of_all, sequence)
        if locked is not None and day <= locked and not (exception and _lets_in(exception, day, at)):
            message = f"Entry {entry_id} of {day} was posted when the books were closed up to {locked}."
            yield Violation("posted_behind_lock", message, organization_id, {"journalEntryId": entry_id})


def _locked(moves: list[tuple[int, date | None]], sequence: int) -> date | None:
    """Return the last day that was closed when an event happened."""
    place = bisect(moves, sequence, key=lambda move: move[0])
    return moves[place - 1][1] if place else None


def _lets_in(exception: LockException, day: date, at: datetime) -> bool:
    """Return whether an exception let somebody date an entry on a day at an instant."""
    end = min(exception.until, exception.ended_at or exception.until)
    return exception.starts_on <= day and exception.created_at <= at <= end


def _moves(key: str) -> Moves:
    found: Moves = defaultdict(list)
    events = sa.select(AuditEvent.organization_id, AuditEvent.sequence, AuditEvent.body)
    moved = events.where(AuditEvent.kind.in_(MOVING[key])).order_by(AuditEvent.sequence)
    for organization_id, sequence, body in db.session.execute(moved):
        try:
            after = json.loads(body).get("after")
            day = after and after[key] and date.fromisoformat(after[key])
        except (ValueError, KeyError, TypeError, AttributeError):
            # A body that is no event of ours is found by the check of the chain.
            continue
        if after:
            found[organization_id].append((sequence, day))
    return found


CHECKS = (posted_behind,)
