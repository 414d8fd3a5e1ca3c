"""The items of a statement: bank lines, and entries on the account that come from no line of the feed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import leakproof_coalesce
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import (
    FeedAccount,
    JournalEntry,
    LineMonthSum,
    Reconciliation,
    ReconciliationItem,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts.feed_postings import outside_entries
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page_of_rows
from webapp.queries.reconciliation.openings import opening_day

IS_LINE, IS_ENTRY = 1, 0


@dataclass(frozen=True, slots=True)
class StatementItem:
    """An item of a statement, open or frozen in a proof: a bank line, or an entry that comes from none."""

    transaction_id: int | None
    journal_entry_id: int | None
    booked_on: date
    amount: Money
    description: str
    entry_status: str | None = None
    cleared: bool = True
    counterparty: str | None = None


def open_items(
    organization_id: str,
    feed_account_id: int,
    *,
    draft: Reconciliation | None,
    transaction_ids: Sequence[int] | None = None,
    journal_entry_ids: Sequence[int] | None = None,
) -> sa.Subquery:
    """Select the items of a feed account that no standing proof cleared, whatever their day.

    `is_cleared` is true for those that the draft clears. `transaction_ids` and `journal_entry_ids` limit the lines and
    the entries.
    """
    draft_id = 0 if draft is None else draft.id
    lines = _open_lines(organization_id, feed_account_id, draft_id)
    if transaction_ids is not None:
        lines = lines.where(Transaction.id.in_(transaction_ids))
    outside = outside_entries(
        organization_id, among=None if journal_entry_ids is None else _ids(organization_id, journal_entry_ids)
    )
    opens_on = opening_day(organization_id, feed_account_id) or date.min
    entries = _open_entries(organization_id, feed_account_id, draft_id, opens_on, outside)
    return sa.union_all(lines, entries).subquery()


def _ids(organization_id: str, ids: Sequence[int]) -> sa.Select[Any]:
    return sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.id.in_(ids)
    )


def _open_lines(organization_id: str, feed_account_id: int, draft_id: int) -> sa.Select[Any]:
    item = ReconciliationItem
    columns: list[Any] = [
        Transaction.booked_on.label("day"),
        sa.literal(IS_LINE, sa.Integer).label("kind"),
        Transaction.id.label("id"),
        Transaction.journal_entry_id.label("journal_entry_id"),
        Transaction.amount_minor.label("amount_minor"),
        Transaction.description.label("description"),
        JournalEntry.status.label("entry_status"),
        Transaction.provider_transaction_id.label("provider_transaction_id"),
        item.id.is_not(None).label("is_cleared"),
    ]
    return (
        sa.select(*columns)
        .outerjoin(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .outerjoin(item, sa.and_(refers_to(item.transaction_id, Transaction), item.is_standing))
        .where(
            Transaction.organization_id == organization_id,
            Transaction.feed_account_id == feed_account_id,
            Transaction.status == "BOOKED",
            Transaction.booked_on >= first_open_month(organization_id, feed_account_id),
            sa.or_(item.id.is_(None), item.reconciliation_id == draft_id),
        )
    )


def first_open_month(organization_id: str, feed_account_id: int) -> sa.ScalarSelect[Any]:
    """Select the first day of the first month with a booked line that no proof cleared, from the kept sums."""
    return (
        sa.select(sa.func.min(LineMonthSum.day))
        .where(
            LineMonthSum.organization_id == organization_id,
            LineMonthSum.feed_account_id == feed_account_id,
            LineMonthSum.unreconciled_count > 0,
        )
        .scalar_subquery()
    )


def _open_entries(
    organization_id: str, feed_account_id: int, draft_id: int, opens_on: date, outside: sa.Subquery
) -> sa.Select[Any]:
    item = ReconciliationItem
    return (
        sa.select(
            outside.c.day,
            sa.literal(IS_ENTRY, sa.Integer).label("kind"),
            outside.c.journal_entry_id.label("id"),
            outside.c.journal_entry_id,
            outside.c.amount_minor,
            outside.c.description,
            outside.c.status.label("entry_status"),
            sa.null().label("provider_transaction_id"),
            item.id.is_not(None).label("is_cleared"),
        )
        .outerjoin(
            item,
            sa.and_(
                item.organization_id == organization_id,
                item.feed_account_id == outside.c.feed_account_id,
                item.journal_entry_id == outside.c.journal_entry_id,
                item.is_standing,
            ),
        )
        .where(
            outside.c.feed_account_id == feed_account_id,
            outside.c.day > opens_on,
            sa.or_(item.id.is_(None), item.reconciliation_id == draft_id),
        )
    )


def open_entries(draft: Reconciliation) -> list[StatementItem]:
    """List the entries that come from no line and are items of a draft, oldest first."""
    organization_id, fa_id = draft.organization_id, draft.feed_account_id
    opens_on = opening_day(organization_id, fa_id) or date.min
    rows = db.session.execute(
        *_entries_until(organization_id, fa_id, draft.id, opens_on, draft.statement_date)
    ).all()
    return [
        StatementItem(None, entry_id, day, Money(int(minor), draft.currency), text, status, bool(is_cleared))
        for entry_id, day, minor, text, status, is_cleared in rows
    ]


@made_once
def _entries_until(
    organization_id: str, feed_account_id: int, draft_id: int, opens_on: date, until: date
) -> sa.Select[Any]:
    outside = outside_entries(organization_id)
    found = _open_entries(organization_id, feed_account_id, draft_id, opens_on, outside).subquery().c
    columns = (
        found.id,
        found.day,
        found.amount_minor,
        found.description,
        found.entry_status,
        found.is_cleared,
    )
    return sa.select(*columns).where(found.day <= until).order_by(found.day, found.id)


def listed(
    account: FeedAccount,
    *,
    draft: Reconciliation | None,
    anchor: Reconciliation | None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[StatementItem]:
    """List the items of an account's open draft, else of its last proof, else those that a first draft could clear.

    A draft's lines are all that it clears or could clear: the open items dated by its statement.
    """
    if draft is None and anchor is not None:
        items = proved_items(anchor.organization_id, anchor.id)
        return _page(sa.select(items), items, account.currency, after, limit)
    items = open_items(account.organization_id, account.id, draft=draft)
    statement = sa.select(items)
    if draft is not None:
        statement = statement.where(items.c.day <= draft.statement_date)
    return _page(statement, items, account.currency, after, limit)


def proved_items(organization_id: str, reconciliation_id: int) -> sa.Subquery:
    """Select the items that a proof froze, with their frozen day and amount and the current status of the entry."""
    item, line, entry = ReconciliationItem, Transaction, JournalEntry
    return (
        sa.select(
            item.frozen_on.label("day"),
            sa.case((item.transaction_id.is_not(None), IS_LINE), else_=IS_ENTRY).label("kind"),
            sa.func.coalesce(item.transaction_id, item.journal_entry_id).label("id"),
            entry.id.label("journal_entry_id"),
            item.frozen_minor.label("amount_minor"),
            sa.func.coalesce(line.description, entry.description).label("description"),
            entry.status.label("entry_status"),
            sa.true().label("is_cleared"),
        )
        .outerjoin(line, refers_to(item.transaction_id, line))
        .outerjoin(
            entry,
            sa.and_(
                of_same_organization(entry, item),
                entry.id == leakproof_coalesce(item.journal_entry_id, line.journal_entry_id),
            ),
        )
        .where(item.organization_id == organization_id, item.reconciliation_id == reconciliation_id)
        .subquery()
    )


def _page(
    statement: sa.Select[Any],
    items: sa.Subquery,
    currency: str,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[StatementItem]:
    """Read a page, newest first; lines and entries have ids of their own, so the kind is part of the key."""
    order = Order((items.c.day, items.c.kind, items.c.id))
    found = page_of_rows(statement, order, after=after, limit=limit)
    return found.of([statement_item(row, currency) for row in found.items])


def statement_item(row: Any, currency: str) -> StatementItem:
    """Make the statement line of a row of `open_items` or `proved_items`."""
    return StatementItem(
        transaction_id=row.id if row.kind == IS_LINE else None,
        journal_entry_id=row.journal_entry_id,
        booked_on=row.day,
        amount=Money(int(row.amount_minor), currency),
        description=row.description or "",
        entry_status=row.entry_status,
        cleared=bool(row.is_cleared),
    )
