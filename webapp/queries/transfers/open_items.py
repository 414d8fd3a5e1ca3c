"""Open items of the watched accounts: effective amounts that should have been moved on, with their age."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import is_among, leakproof_coalesce
from webapp.database.sessions import db, joined_by_keys
from webapp.ledger.chart import Role
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    JournalEntry,
    Posting,
    RegisterLine,
    SettlementPart,
    Transaction,
    TransferPair,
    of_same_organization,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page_of_rows
from webapp.queries.common.records import record_of
from webapp.queries.currencies import revaluations
from webapp.queries.items import settlements
from webapp.queries.matching import transfer_pairs


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A posted amount that is still on a watched account, and its age in days; `id` is its first posting's."""

    id: int
    account_id: int
    account_name: str
    journal_entry_id: int
    transaction_id: int | None
    fa_id: int | None
    effective_on: date
    age_days: int
    description: str
    amount: Money
    currency: str
    amount_base: Money


def items_subquery(organization_id: str) -> sa.Subquery:
    """Select the open items of the watched accounts of one organization.

    They are found by the registers of these accounts, which have no line of a draft: after an import there are many.
    """
    watched = sa.select(Account.id).where(Account.organization_id == organization_id, Account.is_watched)
    posted = sa.select(RegisterLine.posting_id).where(
        RegisterLine.organization_id == organization_id, RegisterLine.account_id.in_(watched)
    )
    of_watched = (
        Posting.organization_id == organization_id,
        is_among(Posting.id, posted.correlate(None).scalar_subquery()),
    )
    return _less_settled(_items(*of_watched), organization_id)


def on_watched(organization_id: str, entry_ids: Collection[int]) -> set[int]:
    """Find the entries that post to a watched account, or that a correction posts there: no other is an open item."""
    return set(db.session.scalars(*_on_watched(organization_id, entry_ids)))


@made_once
def _on_watched(organization_id: str, entry_ids: Collection[int]) -> sa.Select[Any]:
    watched = sa.select(Account.id).where(Account.organization_id == organization_id, Account.is_watched)
    return (
        sa.select(leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            JournalEntry.organization_id == organization_id,
            sa.or_(among(JournalEntry.id, entry_ids), among(JournalEntry.corrects_id, entry_ids)),
            Posting.account_id.in_(watched),
        )
    )


def of_transfers() -> sa.Subquery:
    """Select the open items of the transfers accounts of all organizations."""
    return _less_settled(_items(Account.role == Role.TRANSFERS.value))


def settled_items() -> sa.Subquery:
    """Select all items of entries that a settlement names, of all organizations, as they are posted."""
    named = sa.select(SettlementPart.journal_entry_id)
    return _items(leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id).in_(named))


def whole_items(organization_id: str, account_id: int) -> sa.Subquery:
    """Select the items of one account as they are posted, whatever of them is settled."""
    return _items(Posting.organization_id == organization_id, Posting.account_id == account_id)


def _items(*chosen: sa.ColumnElement[bool]) -> sa.Subquery:
    """Select the parts of posted entries on watched accounts that their corrections have not moved away.

    Being linked settles an item of "Transfers between own accounts" only as far as both sides stand there and come
    to nil together, with the entry that realised their difference. A revaluation, its
    reversal, and what is realised on another account are no items.
    """
    root = orm.aliased(JournalEntry)
    parts = (Posting.account_id, Posting.currency, Posting.project_id, Posting.org_merchant_id)
    amount, base = sa.func.sum(Posting.amount_minor), sa.func.sum(Posting.amount_base_minor)
    columns: list[Any] = [
        root.organization_id,
        sa.func.min(Posting.id).label("item_id"),
        root.id.label("root_id"),
        root.effective_on.label("effective_on"),
        root.description.label("description"),
        Posting.account_id,
        Posting.currency,
        amount.label("amount_minor"),
        base.label("amount_base_minor"),
    ]
    selected = sa.select(*columns)
    return (
        _of_roots(selected, root)
        .where(
            *chosen,
            JournalEntry.status == "POSTED",
            root.status == "POSTED",
            root.voids_id.is_(None),
            root.source != revaluations.SOURCE,
            sa.or_(root.source != "exchange", Account.role == Role.TRANSFERS.value),
            sa.or_(Account.role.is_distinct_from(Role.TRANSFERS.value), sa.not_(_is_settled(root))),
        )
        .group_by(root.organization_id, root.id, root.effective_on, root.description, *parts)
        .having(sa.or_(amount != 0, base != 0))
        .subquery()
    )


def _less_settled(items: sa.Subquery, organization_id: str | None = None) -> sa.Subquery:
    """Select what standing settlements leave of items."""
    settled = settlements.settled_amounts(organization_id).subquery()
    amount = items.c.amount_minor - sa.func.coalesce(settled.c.amount_minor, 0)
    base = items.c.amount_base_minor - sa.func.coalesce(settled.c.amount_base_minor, 0)
    others = [each for each in items.c if each.name not in ("amount_minor", "amount_base_minor")]
    of_item = sa.and_(
        settled.c.organization_id == items.c.organization_id, settled.c.item_id == items.c.item_id
    )
    return (
        sa.select(*others, amount.label("amount_minor"), base.label("amount_base_minor"))
        .outerjoin(settled, of_item)
        .where(sa.or_(amount != 0, base != 0))
        .subquery()
    )


def _of_roots(statement: sa.Select[Any], root: Any) -> sa.Select[Any]:
    """Join postings to the originals that they belong to, by themselves or by a correction."""
    belongs_to = leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id)
    return (
        statement.join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(root, sa.and_(of_same_organization(root, JournalEntry), root.id == belongs_to))
        .join(Account, refers_to(Posting.account_id, Account))
    )


def _is_settled(root: Any) -> sa.ColumnElement[bool]:
    is_side = sa.exists().where(
        refers_to(Transaction.journal_entry_id, root), transfer_pairs.is_settled(Transaction)
    )
    is_difference = sa.exists().where(
        refers_to(TransferPair.difference_entry_id, root), TransferPair.status == "STANDING"
    )
    return sa.or_(is_side, sa.and_(root.source == "exchange", is_difference))


def listed(
    organization_id: str,
    *,
    today: date,
    account_id: int | None = None,
    to: date | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[OpenItem]:
    """List open items, newest first, up to a day; `today` is the day to which their age is counted."""
    items = items_subquery(organization_id)
    statement = sa.select(items, Account.name.label("account_name")).join(
        Account, sa.and_(Account.organization_id == organization_id, Account.id == items.c.account_id)
    )
    if account_id is not None:
        statement = statement.where(items.c.account_id == account_id)
    if to is not None:
        statement = statement.where(items.c.effective_on <= to)
    order = Order((items.c.effective_on, items.c.item_id))
    with joined_by_keys():
        found = page_of_rows(statement, order, after=after, limit=limit)
    return found.of(_records(organization_id, found.items, today))


def lines_of(organization_id: str, item_ids: Collection[int]) -> list[int]:
    """Give the bank lines of open items, in the order of the items; an item without a line is left out."""
    items = items_subquery(organization_id)
    rows = db.session.execute(
        sa.select(items.c.root_id).where(items.c.item_id.in_(item_ids)).order_by(items.c.item_id)
    )
    roots = list(rows.scalars())
    lines = _lines(organization_id, roots)
    return [lines[root_id][0] for root_id in roots if root_id in lines]


def _records(organization_id: str, rows: Sequence[Any], today: date) -> list[OpenItem]:
    base = organizations.get(organization_id).base_currency
    lines = _lines(organization_id, [row.root_id for row in rows])
    return [
        record_of(
            OpenItem,
            row,
            id=row.item_id,
            journal_entry_id=row.root_id,
            transaction_id=lines.get(row.root_id, (None, None))[0],
            fa_id=lines.get(row.root_id, (None, None))[1],
            age_days=(today - row.effective_on).days,
            amount=Money(int(row.amount_minor), row.currency),
            amount_base=Money(int(row.amount_base_minor), base),
        )
        for row in rows
    ]


def _lines(organization_id: str, entry_ids: Sequence[int]) -> dict[int | None, tuple[int, int]]:
    """Find the line of each entry, of two that share it the first."""
    rows = db.session.execute(
        sa.select(Transaction.journal_entry_id, Transaction.id, Transaction.feed_account_id)
        .where(
            Transaction.organization_id == organization_id,
            Transaction.journal_entry_id.in_(entry_ids),
        )
        .order_by(Transaction.id.desc())
    )
    return {entry_id: (line_id, fa_id) for entry_id, line_id, fa_id in rows}
