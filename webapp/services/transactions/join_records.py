"""Stored joins of bank lines, and what a join does to the books: one of all reports of a line is in them."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import PENDING_TIERS
from webapp.ledger.matching.joins import Pairing
from webapp.models import FeedLine, LineJoin, Transaction, refers_to
from webapp.models.base import table_of
from webapp.queries.common.portions import portions
from webapp.queries.matching import feed_lines
from webapp.queries.reconciliation import openings
from webapp.services.journal import entries, line_drafts
from webapp.services.transactions import bank_changes, clearing, unpairing

_NEW = sa.insert(table_of(LineJoin))


def move_joins(organization_id: str, kept_ids: Mapping[int, int]) -> None:
    """Move the joins of joined rows to the rows that those are joined to: there are no chains of joins.

    `kept_ids` has the kept row of each joined one. Earlier suggestions and decisions between a moved row and its new
    kept one are deleted.
    """
    moved = [
        found
        for portion in portions(kept_ids)
        for found in db.session.scalars(
            sa.select(LineJoin).where(
                LineJoin.organization_id == organization_id,
                LineJoin.kept_id.in_(portion),
                LineJoin.status == "JOINED",
            )
        )
    ]
    for found in moved:
        db.session.execute(
            sa.delete(LineJoin).where(
                LineJoin.organization_id == organization_id,
                LineJoin.kept_id == kept_ids[found.kept_id],
                LineJoin.joined_id == found.joined_id,
            )
        )
        found.kept_id = kept_ids[found.kept_id]
    db.session.flush()


def join_row(organization_id: str, pairing: Pairing, now: datetime) -> dict[str, object]:
    """Give the row of a join that evidence or a person found."""
    return _undecided(organization_id, now) | _found(pairing)


def _undecided(organization_id: str, now: datetime) -> dict[str, object]:
    return {
        "organization_id": organization_id,
        "evidence": {},
        "decided_by": None,
        "created_at": now,
        "undone_at": None,
    }


def _found(pairing: Pairing) -> dict[str, object]:
    return {
        "kept_id": pairing.kept_id,
        "joined_id": pairing.joined_id,
        "tier": pairing.tier,
        "status": "JOINED" if pairing.is_certain else "SUGGESTED",
        "reason": pairing.reason,
    }


def record(organization_id: str, pairings: Sequence[Pairing], *, now: datetime) -> list[Pairing]:
    """Store pairs of lines: certain ones are joined, others suggested; answers those that are joined now.

    A pair that was decided before stays as it was decided. What was joined to a row that is joined now moves along.
    """
    if not pairings:
        return []
    decided = feed_lines.join_statuses(organization_id, {each.joined_id for each in pairings})
    fresh = [each for each in pairings if (each.kept_id, each.joined_id) not in decided]
    surer = [
        each
        for each in pairings
        if each.is_certain and decided.get((each.kept_id, each.joined_id)) == "SUGGESTED"
    ]
    for each in surer:
        _find(organization_id, each.kept_id, each.joined_id, "SUGGESTED").status = "JOINED"
    db.session.flush()
    undecided = _undecided(organization_id, now)
    if fresh:
        db.session.execute(_NEW, [{**_found(each), **undecided} for each in fresh])
    joined = [each for each in (*fresh, *surer) if each.is_certain]
    move_joins(organization_id, {each.joined_id: each.kept_id for each in joined})
    return joined


def is_posted(line: Transaction) -> bool:
    """Return whether the entry of a line is posted, or was."""
    return line.journal_entry is not None and line.journal_entry.status != "DRAFT"


def remove_from_books(line: Transaction, *, now: datetime) -> None:
    """Remove a line that is only another report from the books, with its draft."""
    unpairing.unpair(line, now=now)
    entry = line.journal_entry
    line.journal_entry_id, line.status = None, "REMOVED"
    db.session.flush()
    if entry is not None:
        entries.delete_draft(entry)
    clearing.unclear_lines(line.organization_id, [line.id])


def add_to_books(line: Transaction, *, now: datetime) -> str:
    """Make a row a booked line: with its posted entry where that stayed in the books, else with a draft of its own.

    Answers in a sentence that a correction of its posted entry waits, where the bank changed the amount meanwhile.
    """
    line.status = openings.state_of(line)
    if line.journal_entry_id is None:
        line_drafts.add(line, now=now)
        return ""
    return bank_changes.reopen_correction(line, now=now)


def _find(organization_id: str, kept_id: int, joined_id: int, status: str) -> LineJoin:
    return db.session.scalars(
        sa.select(LineJoin).where(
            LineJoin.organization_id == organization_id,
            LineJoin.kept_id == kept_id,
            LineJoin.joined_id == joined_id,
            LineJoin.status == status,
        )
    ).one()


def feed_line_of(line: Transaction) -> FeedLine | None:
    """Find what the feed stores under the id of a line."""
    return db.session.scalar(sa.select(FeedLine).where(refers_to(FeedLine.transaction_id, line)))


def was_pending(found: LineJoin, feed_line: FeedLine | None) -> bool:
    """Return whether the joined row was a pending line."""
    if feed_line is not None:
        return feed_line.is_pending
    return found.tier in PENDING_TIERS


def refuse_by_bank(organization_id: str, joined_id: int, *, reason: str, now: datetime) -> None:
    """Undo the join of a row that its bank says is a line of its own."""
    found = db.session.scalar(
        sa.select(LineJoin).where(
            LineJoin.organization_id == organization_id,
            LineJoin.joined_id == joined_id,
            LineJoin.status == "JOINED",
        )
    )
    if found is not None:
        found.status, found.undone_at, found.reason = "REFUSED", now, f"{found.reason} {reason}"
        db.session.flush()
