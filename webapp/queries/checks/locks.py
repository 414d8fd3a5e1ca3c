"""The lock date against the audit trail: nothing was posted into a period after the act that closed it."""

import json
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import COUNTING, AuditEvent, JournalEntry, of_same_organization
from webapp.queries.checks.violations import Violation

AT_ONCE = 500
LOCKING = ("move_lock_date", "approve_close", "complete_close", "reopen_close")
# By organization, the events that moved the lock, in their order, and the last closed day after each.
Moves = dict[str, list[tuple[int, date | None]]]


def posted_behind() -> Iterator[Violation]:
    """Find entries dated in a period that was closed when they were posted, though nothing let them in."""
    for organization_id, moves in _moves().items():
        latest = max((day for _, day in moves if day is not None), default=None)
        if latest is not None:
            yield from _behind(organization_id, moves, latest)


def _behind(organization_id: str, moves: list[tuple[int, date | None]], latest: date) -> Iterator[Violation]:
    rows = db.session.execute(
        sa.select(JournalEntry.id, JournalEntry.effective_on, AuditEvent.sequence)
        .join(
            AuditEvent,
            sa.and_(
                of_same_organization(AuditEvent, JournalEntry),
                AuditEvent.action_request_id == JournalEntry.action_request_id,
            ),
        )
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on <= latest,
            JournalEntry.lock_exception_id.is_(None),
            sa.not_(JournalEntry.is_adjusting),
            AuditEvent.sequence > moves[0][0],
        )
        .order_by(JournalEntry.id),
        execution_options={"yield_per": AT_ONCE},
    )
    sequences = [sequence for sequence, _ in moves]
    for entry_id, day, sequence in rows:
        _, locked = moves[bisect(sequences, sequence) - 1]
        if locked is not None and day <= locked:
            message = f"Entry {entry_id} of {day} was posted when the books were closed up to {locked}."
            yield Violation("posted_behind_lock", message, organization_id, {"journalEntryId": entry_id})


def _moves() -> Moves:
    found: Moves = defaultdict(list)
    events = sa.select(AuditEvent.organization_id, AuditEvent.sequence, AuditEvent.body)
    moved = events.where(AuditEvent.kind.in_(LOCKING)).order_by(AuditEvent.sequence)
    for organization_id, sequence, body in db.session.execute(moved):
        try:
            after = json.loads(body).get("after")
            day = after and after["lockDate"] and date.fromisoformat(after["lockDate"])
        except (ValueError, KeyError, TypeError, AttributeError):
            # A body that is no event of ours is found by the check of the chain.
            continue
        if after:
            found[organization_id].append((sequence, day))
    return found


CHECKS = (posted_behind,)
