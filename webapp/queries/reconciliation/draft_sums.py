"""Sums of the cleared items of open drafts: count and amount of money in and money out."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import JournalEntry, Reconciliation, ReconciliationItem, Transaction, refers_to
from webapp.queries.accounts.feed_postings import outside_entries
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


@dataclass(slots=True)
class DraftSums:
    """The cleared items of a draft, in minor units; one of 0.00 counts as money in."""

    in_count: int = 0
    in_minor: int = 0
    out_count: int = 0
    out_minor: int = 0

    @property
    def count(self) -> int:
        """The number of cleared items."""
        return self.in_count + self.out_count

    @property
    def minor(self) -> int:
        """Their sum."""
        return self.in_minor + self.out_minor


def of_drafts(organization_id: str, draft_ids: Collection[int]) -> dict[int, DraftSums]:
    """Add up the cleared items of drafts; a line that is no longer booked by the statement's day does not count."""
    sums = {draft_id: DraftSums() for draft_id in draft_ids}
    if not sums:
        return sums
    for items in (_lines, _entries):
        rows = db.session.execute(*items(organization_id, list(draft_ids)))
        for draft_id, in_count, in_minor, out_count, out_minor in rows:
            found = sums[draft_id]
            found.in_count += int(in_count)
            found.in_minor += int(in_minor)
            found.out_count += int(out_count)
            found.out_minor += int(out_minor)
    return sums


def _split(amount: Any) -> list[sa.ColumnElement[Any]]:
    is_in = amount >= 0
    return [
        sa.func.sum(sa.case((is_in, 1), else_=0)),
        sa.func.sum(sa.case((is_in, amount), else_=0)),
        sa.func.sum(sa.case((is_in, 0), else_=1)),
        sa.func.sum(sa.case((is_in, 0), else_=amount)),
    ]


def _of(organization_id: str, draft_ids: Collection[int]) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        ReconciliationItem.organization_id == organization_id,
        among(ReconciliationItem.reconciliation_id, draft_ids),
    )


@made_once
def _lines(organization_id: str, draft_ids: Collection[int]) -> sa.Select[Any]:
    item = ReconciliationItem
    return (
        sa.select(item.reconciliation_id, *_split(Transaction.amount_minor))
        .join(Transaction, refers_to(item.transaction_id, Transaction))
        .join(Reconciliation, refers_to(item.reconciliation_id, Reconciliation))
        .where(
            *_of(organization_id, draft_ids),
            Transaction.status == "BOOKED",
            Transaction.booked_on <= Reconciliation.statement_date,
        )
        .group_by(item.reconciliation_id)
    )


@made_once
def _entries(organization_id: str, draft_ids: Collection[int]) -> sa.Select[Any]:
    item = ReconciliationItem
    cleared = sa.select(item.journal_entry_id).where(
        *_of(organization_id, draft_ids), item.journal_entry_id.is_not(None)
    )
    outside = outside_entries(organization_id, among=cleared)
    return (
        sa.select(item.reconciliation_id, *_split(outside.c.amount_minor))
        .join(
            outside,
            sa.and_(
                outside.c.journal_entry_id == item.journal_entry_id,
                outside.c.feed_account_id == item.feed_account_id,
            ),
        )
        .where(*_of(organization_id, draft_ids))
        .group_by(item.reconciliation_id)
    )


def unconfirmed(organization_id: str, draft_id: int) -> list[tuple[int, int]]:
    """List the cleared lines of a draft whose entry is not posted yet, by their id, with their amount."""
    rows = db.session.execute(*_unconfirmed(organization_id, draft_id)).all()
    return [(line_id, amount) for line_id, amount in rows]


@made_once
def _unconfirmed(organization_id: str, draft_id: int) -> sa.Select[Any]:
    item = ReconciliationItem
    columns: list[Any] = [Transaction.id, Transaction.amount_minor]
    return (
        sa.select(*columns)
        .join(item, refers_to(item.transaction_id, Transaction))
        .outerjoin(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(
            item.organization_id == organization_id,
            item.reconciliation_id == draft_id,
            Transaction.status == "BOOKED",
            sa.func.coalesce(JournalEntry.status, "") != "POSTED",
        )
        .order_by(Transaction.id)
    )
