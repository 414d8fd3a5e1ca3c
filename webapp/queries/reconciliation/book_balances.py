"""The books beside a statement: their balance on its day, outstanding items, and items in transit."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import leakproof_coalesce
from webapp.database.sessions import db, scoped_session
from webapp.ledger.proofs.equations import BankPosting, PostingState, books_differ, in_transit, outstanding
from webapp.ledger.proofs.proofs import Item
from webapp.models import (
    DaySum,
    FeedAccount,
    JournalEntry,
    MonthSum,
    Posting,
    Reconciliation,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts.balances import reaches
from webapp.queries.accounts.feed_postings import is_line_of, posted_to_feed_accounts
from webapp.queries.common.made_once import made_once
from webapp.queries.reconciliation import draft_entries, uneven_lines
from webapp.queries.reconciliation.openings import opening_day_of


@dataclass(slots=True)
class StatementBooks:
    """The books beside one statement, in minor units of its currency.

    `outside_open` are the outstanding entries from no line of the feed, by their id.
    """

    ledger_balance_minor: int = 0
    postings: list[BankPosting] = field(default_factory=list)
    outstanding: tuple[Item, ...] = ()
    in_transit: tuple[Item, ...] = ()
    outside_open: dict[int, Item] = field(default_factory=dict)

    def differ_minor(self, statement_balance_minor: int) -> int:
        """Give by how much the books exceed a statement's balance, less outstanding items and plus those in transit."""
        return books_differ(
            self.ledger_balance_minor, self.outstanding, self.in_transit, statement_balance_minor
        )


def of_statements(organization_id: str, reconciliation_ids: Collection[int]) -> dict[int, StatementBooks]:
    """Read the books beside statements, in as many statements to the database however many there are.

    Where there are many, they are standing proofs.
    """
    with scoped_session(organization_id):
        return _books(organization_id, reconciliation_ids, _rows(organization_id, reconciliation_ids))


def of_draft(draft: Reconciliation) -> StatementBooks:
    """Read the books beside an open draft, without going through what was proved before."""
    with scoped_session(draft.organization_id):
        rows = (
            row
            for some in draft_entries.entries(draft)
            for row in db.session.execute(*_postings_among(draft.organization_id, [draft.id], some))
        )
        return _books(draft.organization_id, [draft.id], rows)[draft.id]


def _books(
    organization_id: str, reconciliation_ids: Collection[int], rows: Iterable[Any]
) -> dict[int, StatementBooks]:
    if not reconciliation_ids:
        return {}
    books = {each: StatementBooks() for each in reconciliation_ids}
    for statement_id, balance in db.session.execute(*_balances(organization_id, reconciliation_ids)):
        books[statement_id].ledger_balance_minor = int(balance)
    days: dict[int, Any] = {}
    for row in rows:
        posting = _posting(row)
        books[row.reconciliation_id].postings.append(posting)
        days[row.reconciliation_id] = row.statement_date
        if posting.state is PostingState.OPEN and row.line_id is None and row.status == "POSTED":
            books[row.reconciliation_id].outside_open[row.root_id] = posting.item
    for statement_id, day in days.items():
        found = books[statement_id]
        found.outstanding = outstanding(found.postings, day)
        found.in_transit = in_transit(found.postings, day)
    return books


def _rows(organization_id: str, reconciliation_ids: Collection[int]) -> Iterator[Any]:
    """Read the postings that may matter; beside many statements only those that can, which are looked for first."""
    if len(reconciliation_ids) < uneven_lines.MANY:
        yield from db.session.execute(*_postings(organization_id, reconciliation_ids))
        return
    for some in uneven_lines.entries(organization_id, reconciliation_ids):
        yield from db.session.execute(*_postings_among(organization_id, reconciliation_ids, some))


@made_once
def _balances(organization_id: str, reconciliation_ids: Collection[int]) -> sa.Select[Any]:
    """Select the balance of each account at the close of its statement's day, from the kept sums."""
    parts = [
        sa.select(Reconciliation.id, part.amount_minor)
        .join(FeedAccount, refers_to(Reconciliation.feed_account_id, FeedAccount))
        .join(
            part,
            sa.and_(
                of_same_organization(part, FeedAccount),
                part.account_id == FeedAccount.account_id,
                part.currency == FeedAccount.currency,
                reaches(part, Reconciliation.statement_date),
            ),
        )
        .where(Reconciliation.organization_id == organization_id, Reconciliation.id.in_(reconciliation_ids))
        for part in (MonthSum, DaySum)
    ]
    sums = sa.union_all(*parts).subquery()
    return sa.select(sums.c.id, sa.func.sum(sums.c.amount_minor)).group_by(sums.c.id)


@made_once
def _postings(organization_id: str, reconciliation_ids: Collection[int]) -> sa.Select[Any]:
    return _outstanding_or_in_transit(organization_id, reconciliation_ids)


@made_once
def _postings_among(
    organization_id: str, reconciliation_ids: Collection[int], entry_ids: Collection[int]
) -> sa.Select[Any]:
    found = _outstanding_or_in_transit(organization_id, reconciliation_ids)
    return found.where(JournalEntry.id.in_(entry_ids))


def _outstanding_or_in_transit(organization_id: str, reconciliation_ids: Collection[int]) -> sa.Select[Any]:
    """Select the postings that may be outstanding or in transit: few, once most lines are cleared."""
    line, reversal = orm.aliased(Transaction), orm.aliased(JournalEntry)
    root_id = leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id)
    cleared = uneven_lines.is_cleared_by(Reconciliation, line.id, root_id)
    amount = sa.func.sum(Posting.amount_minor)
    columns: dict[str, Any] = {
        "reconciliation_id": Reconciliation.id,
        "statement_date": Reconciliation.statement_date,
        "opening_date": opening_day_of(Reconciliation),
        "entry_id": JournalEntry.id,
        "root_id": root_id,
        "status": JournalEntry.status,
        "entry_date": JournalEntry.effective_on,
        "cancelled_on": reversal.effective_on,
        "line_id": line.id,
        "line_status": line.status,
        "booked_on": line.booked_on,
        "provider_transaction_id": line.provider_transaction_id,
        "is_cleared": cleared,
        "amount_minor": amount,
    }
    labelled = [column.label(name) for name, column in columns.items()]
    rows = (Reconciliation, JournalEntry, line, reversal)
    return (
        posted_to_feed_accounts(sa.select(*labelled), Reconciliation)
        .outerjoin(line, is_line_of(line, Posting, FeedAccount))
        .outerjoin(reversal, refers_to(JournalEntry.voided_by_id, reversal))
        .where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.id.in_(reconciliation_ids),
            JournalEntry.voids_id.is_(None),
            _may_matter(line, reversal, cleared),
        )
        .group_by(*(column for row in rows for column in (row.organization_id, row.id)))
        .having(sa.or_(line.id.is_not(None), amount != 0))
    )


def _may_matter(line: Any, reversal: Any, cleared: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Leave out postings that statement and books have alike, and those of lines that are no items."""
    day, statement_day, status = (
        JournalEntry.effective_on,
        Reconciliation.statement_date,
        JournalEntry.status,
    )
    is_item = sa.or_(line.id.is_(None), line.status == "BOOKED")
    is_counted = sa.or_(cleared, line.status == "SET_ASIDE")
    return sa.or_(
        sa.and_(status == "POSTED", day <= statement_day, is_item, sa.not_(cleared)),
        sa.and_(status == "POSTED", day > statement_day, is_counted),
        sa.and_(status == "VOIDED", day <= statement_day, reversal.effective_on > statement_day),
    )


def _posting(row: Any) -> BankPosting:
    item = Item(
        transaction_id=row.line_id,
        journal_entry_id=row.entry_id,
        provider_transaction_id=row.provider_transaction_id,
        booked_on=row.booked_on or row.entry_date,
        amount_minor=int(row.amount_minor),
    )
    return BankPosting(item, row.entry_date, _state(row), row.cancelled_on)


def _state(row: Any) -> PostingState:
    """Give the state of a posting; a cancelled one is never absorbed, for it and its reversal add up to nothing."""
    if row.cancelled_on is not None:
        return PostingState.OPEN
    if row.opening_date is not None and row.entry_date <= row.opening_date:
        return PostingState.ABSORBED
    if row.line_status == "SET_ASIDE":
        return PostingState.SET_ASIDE
    return PostingState.CLEARED if row.is_cleared else PostingState.OPEN
