"""Ending transfers: each of the two lines has an entry of its own again, as it was before they were paired."""

from collections.abc import Iterable
from datetime import date, datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.references import Kind
from webapp.models import JournalEntry, Transaction, TransferPair
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import transactions
from webapp.services.audit import updates
from webapp.services.journal import counter_legs, line_drafts, pair_differences
from webapp.services.journal.counter_legs import StoredLeg


def unpair(
    line: Transaction, *, now: datetime, is_refused: bool = False, on: date | None = None
) -> Transaction | None:
    """End the pair of a line, if it is in one; answers the line of its other side.

    The entry of its difference is voided on its day, or `on` a later one. With `is_refused` a person decided that it is
    no transfer, which stays stored. Otherwise a line is removed or its entry voided, and the pair is deleted.
    """
    mine = transfer_pairs.active(line.organization_id, line.id)
    if mine is None:
        return None
    other = transactions.get(line.organization_id, mine.other_id)
    theirs = transfer_pairs.side(line.organization_id, other.id, line.id)
    sides = [(line, mine), *([(other, theirs)] if theirs is not None else [])]
    kept = {each.id: side.counters for each, side in sides}
    pair_differences.cancel([side for _, side in sides], on)
    for _, side in sides:
        _end(side, now, is_refused=is_refused)
    updates.touch(Kind.TRANSACTION, kept)
    db.session.flush()
    entry = line.journal_entry
    if entry is None or line.journal_entry_id != other.journal_entry_id:
        _restore([each for each, _ in sides], kept, now)
    elif entry.status != "VOIDED":
        _divide(entry, [each for each, _ in sides], kept, now)
    return other


def _end(side: TransferPair, now: datetime, *, is_refused: bool) -> None:
    if is_refused:
        side.status, side.ended_at = "UNDONE", now
    else:
        db.session.delete(side)


def _divide(
    entry: JournalEntry, sides: list[Transaction], kept: dict[int, list[StoredLeg]], now: datetime
) -> None:
    """Divide an entry of both lines: a draft becomes two, a posted one gets a correction with counter legs for each."""
    chosen = {line.id: counter_legs.from_stored(line, kept[line.id]) for line in sides}
    if entry.status == "POSTED":
        counter_legs.correct_counters(entry, chosen, now=now)
        return
    first, *others = sorted(sides, key=lambda line: line.id)
    counter_legs.write_own(first, entry, chosen[first.id])
    for line in others:
        line_drafts.add(line, now=now, counter_legs=chosen[line.id], effective_on=entry.effective_on)


def _restore(sides: Iterable[Transaction], kept: dict[int, list[StoredLeg]], now: datetime) -> None:
    for line in sides:
        entry = line.journal_entry
        if entry is not None and entry.status != "VOIDED":
            counter_legs.put_counters(line, entry, counter_legs.from_stored(line, kept[line.id]), now=now)


def bulk_unpair(line_ids: sa.Select[int], *, now: datetime) -> None:
    """End the pairs of many lines that go; `line_ids` selects from the lines of one organization."""
    paired = db.session.scalars(
        sa.select(Transaction).where(Transaction.id.in_(line_ids), transfer_pairs.is_paired(Transaction))
    ).all()
    for line in paired:
        unpair(line, now=now)


def forget(organization_id: str, line_ids: sa.Select[int]) -> None:
    """Delete the pairs, and the dismissed proposals, of lines that are deleted for good."""
    db.session.execute(
        sa.delete(TransferPair)
        .where(
            TransferPair.organization_id == organization_id,
            sa.or_(TransferPair.transaction_id.in_(line_ids), TransferPair.other_id.in_(line_ids)),
        )
        .execution_options(synchronize_session=False)
    )
