"""Pairs of lines that are transfers: those that stand, and those that were undone or dismissed."""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import JournalEntry, Transaction, TransferPair, refers_to
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.portions import portions


def active(organization_id: str, transaction_id: int) -> TransferPair | None:
    """Find a line's side of the pair that it is in now (STANDING)."""
    found: TransferPair | None = db.session.scalar(*_active(organization_id, transaction_id))
    return found


@made_once
def _active(organization_id: str, transaction_id: int) -> sa.Select[TransferPair]:
    return sa.select(TransferPair).where(
        TransferPair.organization_id == organization_id,
        TransferPair.transaction_id == transaction_id,
        TransferPair.status == "STANDING",
    )


def side(organization_id: str, transaction_id: int, other_id: int) -> TransferPair | None:
    """Find a line's side of a pair of any status."""
    return db.session.scalar(
        sa.select(TransferPair).where(
            TransferPair.organization_id == organization_id,
            TransferPair.transaction_id == transaction_id,
            TransferPair.other_id == other_id,
        )
    )


def of_difference(entry: JournalEntry) -> TransferPair | None:
    """Find the pair whose difference an entry realised, by the line that came first."""
    return db.session.scalar(
        sa.select(TransferPair)
        .where(refers_to(TransferPair.difference_entry_id, entry))
        .order_by(TransferPair.transaction_id)
        .limit(1)
    )


def of_line(organization_id: str, transaction_id: int) -> Sequence[TransferPair]:
    """List a line's sides of all pairs of any status, in the order in which they were made."""
    return db.session.scalars(
        sa.select(TransferPair)
        .where(TransferPair.organization_id == organization_id, TransferPair.transaction_id == transaction_id)
        .order_by(TransferPair.id)
    ).all()


def others(organization_id: str, transaction_ids: Collection[int]) -> dict[int, int]:
    """Give the other line of the pair that each line is in now."""
    found: dict[int, int] = {}
    for ids in portions(transaction_ids):
        found |= dict(db.session.execute(*_others(organization_id, ids)).all())
    return found


@made_once
def _others(organization_id: str, transaction_ids: Collection[int]) -> sa.Select[int, int]:
    return sa.select(TransferPair.transaction_id, TransferPair.other_id).where(
        TransferPair.organization_id == organization_id,
        among(TransferPair.transaction_id, transaction_ids),
        TransferPair.status == "STANDING",
    )


def is_any_paired(organization_id: str, entry_ids: Collection[int]) -> bool:
    """Tell whether the line of any of some entries is in a pair now."""
    found = sa.select(Transaction.id).where(
        Transaction.organization_id == organization_id,
        Transaction.journal_entry_id.in_(entry_ids),
        is_paired(Transaction),
    )
    return db.session.scalar(found.limit(1)) is not None


def is_paired(line: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a line is in a pair now."""
    return sa.exists().where(refers_to(TransferPair.transaction_id, line), TransferPair.status == "STANDING")


def is_settled(line: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a line is in a pair now whose posted sides come to nil together."""
    return sa.exists().where(
        refers_to(TransferPair.transaction_id, line),
        TransferPair.status == "STANDING",
        TransferPair.is_settled,
    )


def refused(organization_id: str) -> set[tuple[int, int]]:
    """List the pairs that somebody dismissed or undid, each from both sides."""
    return {(line_id, other_id) for line_id, other_id in db.session.execute(*_refused(organization_id))}


@made_once
def _refused(organization_id: str) -> sa.Select[int, int]:
    return sa.select(TransferPair.transaction_id, TransferPair.other_id).where(
        TransferPair.organization_id == organization_id, TransferPair.status != "STANDING"
    )
