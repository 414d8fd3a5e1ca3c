"""The list of items as of a day, or as they are now, with what is left of each."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, TypeAlias

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import ACCOUNT_TYPES, OwedSide
from webapp.models import (
    Account,
    DueChange,
    JournalEntry,
    Merchant,
    OwedItem,
    Posting,
    Settlement,
    SettlementEntry,
    SettlementPart,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common import lookups, merchants
from webapp.queries.common.paging import Order, Page, joined, page_of_rows
from webapp.queries.common.records import record_of
from webapp.queries.items import derivations
from webapp.queries.items.items import PARTY, get

# Makes the condition of rows that have an account and a merchant, as items and postings do.
Chosen: TypeAlias = Callable[[Any], sa.ColumnElement[bool]]


@dataclass(frozen=True, slots=True)
class OwedItemRecord:
    """An item: what it is in its currency and in the base, what of both is settled, and what is left open.

    `day` and `due_on` are None for an opening item. `overdue_days` counts from the due day; it is None where that is
    not past, or nothing waits to be paid.
    """

    id: int
    account_id: int
    account_name: str
    org_merchant_id: int | None
    org_merchant_name: str | None
    journal_entry_id: int | None
    transaction_id: int | None
    day: date | None
    due_on: date | None
    overdue_days: int | None
    reference: str | None
    description: str
    currency: str
    amount: Money
    amount_base: Money
    settled: Money
    settled_base: Money
    open: Money
    open_base: Money


def as_of(organization_id: str, day: date | None = None, chosen: Chosen | None = None) -> sa.Subquery:
    """Select the items of an organization as they are at the close of a day; without one as they are now.

    `amount_minor`, `amount_base_minor`, `settled_minor` and `settled_base_minor` are those of that day, `open_minor`
    and `open_base_minor` what they leave, `party` the merchant that counts, and `waits` whether what is open is to be
    paid: a payment or a credit note that nothing took is never late. Only what came after the day is read beside the
    kept rows. `chosen` says of items, and of postings, which ones these are, by account and merchant.
    """
    values: dict[str, Any] = {
        name: getattr(OwedItem, name)
        for name in ("amount_minor", "amount_base_minor", "settled_minor", "settled_base_minor")
    }
    others: list[Any] = [each for each in sa.inspect(OwedItem).columns if each.name not in values]
    joins: list[tuple[Any, Any]] = [(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))]
    if day is not None:
        changed = _due_otherwise(organization_id, day)
        others = [_due_then(each, changed) if each.name == "due_on" else each for each in others]
        joins.append((changed, sa.and_(*(changed.c[name] == column for name, column in _ITEM_KEY.items()))))
        # Of a page of the newest PostgreSQL would otherwise compare each item with all that came later, one by one.
        others = [(each + 0).label("id") if each.name == "id" else each for each in others]
        later = derivations.posted_after(organization_id, day, *([] if chosen is None else [chosen(Posting)]))
        moved = _settled_otherwise(organization_id, day, chosen)
        is_moved = moved.c.organization_id == OwedItem.organization_id, moved.c.item_id == OwedItem.id
        joins += [(later, derivations.is_of(later)), (moved, sa.and_(*is_moved))]
        for amount, settled in (
            ("amount_minor", "settled_minor"),
            ("amount_base_minor", "settled_base_minor"),
        ):
            values[amount] -= sa.func.coalesce(later.c[amount], 0)
            values[settled] += sa.func.coalesce(moved.c[amount], 0)
    open_minor = values["amount_minor"] - values["settled_minor"]
    statement = sa.select(
        *others,
        *(value.label(name) for name, value in values.items()),
        open_minor.label("open_minor"),
        (values["amount_base_minor"] - values["settled_base_minor"]).label("open_base_minor"),
        PARTY.label("party"),
        sa.case((_is_of_asset(organization_id), open_minor > 0), else_=open_minor < 0).label("waits"),
    ).select_from(OwedItem)
    for other, condition in joins:
        statement = statement.outerjoin(other, condition)
    return statement.where(*_of_items(organization_id, chosen)).subquery()


_ITEM_KEY: Mapping[str, Any] = {"organization_id": OwedItem.organization_id, "item_id": OwedItem.id}


def _due_otherwise(organization_id: str, day: date) -> sa.Subquery:
    """Select the due days that items had in lists of a day, where a later one counts from another day on."""
    key = DueChange.organization_id, DueChange.item_id
    first = (
        sa.select(*key, sa.func.min(DueChange.since).label("since"))
        .where(DueChange.organization_id == organization_id, DueChange.since > day)
        .group_by(*key)
        .subquery()
    )
    is_first = sa.and_(*(column == first.c[column.key] for column in (*key, DueChange.since)))
    return (
        sa.select(*key, DueChange.due_before)
        .join(first, is_first)
        .where(DueChange.organization_id == organization_id)
        .subquery()
    )


def _due_then(due_on: Any, changed: sa.Subquery) -> sa.ColumnElement[Any]:
    return sa.case((changed.c.item_id.is_not(None), changed.c.due_before), else_=due_on).label("due_on")


def _of_items(organization_id: str, chosen: Chosen | None) -> list[sa.ColumnElement[bool]]:
    return [OwedItem.organization_id == organization_id, *([] if chosen is None else [chosen(OwedItem)])]


def _keeping(organization_id: str, account_id: int | None, side: str | None) -> Sequence[int]:
    """List the accounts that keep items: one, those of a side, or all."""
    keeping = sa.select(Account.id).where(Account.organization_id == organization_id, Account.keeps_items)
    if account_id is not None:
        keeping = keeping.where(Account.id == account_id)
    if side is not None:
        keeping = keeping.where(Account.type == ACCOUNT_TYPES[OwedSide(side)])
    return db.session.scalars(keeping).all()


def _is_of_asset(organization_id: str) -> sa.ColumnElement[bool]:
    assets = sa.select(Account.id).where(
        Account.organization_id == organization_id, Account.type == "ASSET", Account.keeps_items
    )
    return OwedItem.account_id.in_(assets)


def _settled_otherwise(organization_id: str, day: date, chosen: Chosen | None) -> sa.Subquery:
    """Select what was settled of each item at the close of a day beyond what is settled of it now."""
    ids = sa.select(OwedItem.id).where(*_of_items(organization_id, chosen))
    sign = sa.case((Settlement.status == "STANDING", -1), else_=1)
    parted = _of_separated(organization_id, day, None if chosen is None else ids)
    joint = (
        sa.select(
            SettlementPart.organization_id,
            SettlementPart.item_id,
            (sign * SettlementPart.amount_minor).label("amount_minor"),
            (sign * SettlementPart.amount_base_minor).label("amount_base_minor"),
        )
        .join(Settlement, refers_to(SettlementPart.settlement_id, Settlement))
        .where(
            SettlementPart.organization_id == organization_id,
            sa.true() if chosen is None else SettlementPart.item_id.in_(ids),
            sa.or_(
                sa.and_(Settlement.status == "STANDING", Settlement.settled_on > day),
                sa.and_(*_was_undone(day), Settlement.id.not_in(sa.select(parted.c.settlement_id))),
            ),
        )
    )
    realised = sa.select(
        parted.c.organization_id, parted.c.item_id, sa.literal(0), parted.c.base_minor
    ).where(parted.c.item_id.is_not(None), sa.true() if chosen is None else parted.c.item_id.in_(ids))
    both = joint.union_all(realised).subquery()
    key = both.c.organization_id, both.c.item_id
    sums = (sa.func.sum(both.c[name]).label(name) for name in ("amount_minor", "amount_base_minor"))
    return sa.select(*key, *sums).group_by(*key).subquery()


def _was_undone(day: date) -> tuple[sa.ColumnElement[bool], ...]:
    """Build the conditions of settlements that stood at the close of a day, and were undone after it."""
    return Settlement.status == "UNDONE", Settlement.settled_on <= day, Settlement.undone_on > day


def _of_separated(organization_id: str, day: date, items: sa.Select[Any] | None) -> sa.CTE:
    """Select those of them that join items of parties that were separated since: they settle as if they never stood.

    What they realised stands until then in the name of one party, so its first item carries `base_minor` of it.
    """
    is_own = SettlementPart.organization_id == organization_id
    of_items: sa.ColumnElement[bool] = sa.true()
    if items is not None:
        theirs = sa.select(SettlementPart.settlement_id).where(is_own, SettlementPart.item_id.in_(items))
        of_items = SettlementPart.settlement_id.in_(theirs)
    party = sa.func.coalesce(PARTY, 0)
    is_theirs = OwedItem.org_merchant_id == Posting.org_merchant_id
    return (
        sa.select(
            SettlementPart.organization_id,
            SettlementPart.settlement_id,
            sa.func.min(sa.case((is_theirs, SettlementPart.item_id))).label("item_id"),
            sa.func.sum(SettlementPart.amount_base_minor).label("base_minor"),
        )
        .join(Settlement, refers_to(SettlementPart.settlement_id, Settlement))
        .join(OwedItem, refers_to(SettlementPart.item_id, OwedItem))
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .outerjoin(
            SettlementEntry,
            sa.and_(
                refers_to(SettlementEntry.settlement_id, Settlement), SettlementEntry.purpose == "DIFFERENCE"
            ),
        )
        .outerjoin(
            Posting,
            sa.and_(
                of_same_organization(Posting, SettlementEntry),
                Posting.journal_entry_id == SettlementEntry.journal_entry_id,
                Posting.amount_minor == 0,
            ),
        )
        .where(is_own, of_items, *_was_undone(day))
        .group_by(SettlementPart.organization_id, SettlementPart.settlement_id)
        .having(sa.func.min(party) != sa.func.max(party))
        .cte()
    )


def is_open(items: sa.Subquery) -> sa.ColumnElement[bool]:
    """Build the condition that something of an item is left, in its currency or in the base."""
    return sa.or_(items.c.open_minor != 0, items.c.open_base_minor != 0)


def is_astray(items: sa.Subquery) -> sa.ColumnElement[bool]:
    """Build the condition of open items without a party, and of those on the other side than their account."""
    return sa.or_(items.c.party.is_(None), sa.and_(items.c.open_minor != 0, sa.not_(items.c.waits)))


def is_open_now(items: Any) -> sa.ColumnElement[bool]:
    """Build the same condition of items as they are now, in the words of the index of those that are open."""
    return sa.or_(
        items.settled_minor != items.amount_minor, items.settled_base_minor != items.amount_base_minor
    )


def listed(
    organization_id: str,
    *,
    today: date,
    account_id: int | None = None,
    side: str | None = None,
    merchant_id: int | None = None,
    open_on: date | None = None,
    overdue: bool | None = None,
    astray: bool | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[OwedItemRecord]:
    """List open items, newest first; at the close of `open_on`, else as they are now.

    What is `overdue` was due before that day, or before today; what has no due day never is. What is `astray` has no
    party, or is on the other side than its account.
    """
    account_ids = _keeping(organization_id, account_id, side)
    party_ids = None if merchant_id is None else merchants.alike(organization_id, merchant_id)

    def page(of_account: int) -> Page[Any]:
        # Of all accounts together PostgreSQL compared each item with all that came after a day.
        items = as_of(organization_id, open_on, lambda row: row.account_id == of_account)
        statement = sa.select(items).where(is_open_now(items.c) if open_on is None else is_open(items))
        if party_ids is not None:
            statement = statement.where(items.c.org_merchant_id.in_(party_ids))
        if overdue is not None:
            was_due = sa.func.coalesce(items.c.due_on < (open_on or today), sa.false())
            is_late = sa.and_(was_due, items.c.waits)
            statement = statement.where(is_late if overdue else sa.not_(is_late))
        if astray is not None:
            statement = statement.where(is_astray(items) if astray else sa.not_(is_astray(items)))
        return page_of_rows(statement, Order((items.c.id,)), after=after, limit=limit)

    pages = [page(each) for each in account_ids]
    found = pages[0] if len(pages) == 1 else joined(pages, lambda row: (row.id,), limit=limit)
    return found.of(records(organization_id, found.items, open_on or today))


def record(organization_id: str, item_id: int, today: date) -> OwedItemRecord:
    """Give one item as it is now, open or not; raises NotFoundError."""
    get(organization_id, item_id)
    items = as_of(organization_id)
    rows = db.session.execute(sa.select(items).where(items.c.id == item_id)).all()
    return records(organization_id, rows, today)[0]


def records(organization_id: str, rows: Sequence[Any], day: date) -> list[OwedItemRecord]:
    """Give rows of `as_of` as records; `day` is what overdue days are counted to."""
    base = organizations.get(organization_id).base_currency
    counting = merchants.counting(organization_id, {row.org_merchant_id for row in rows} - {None})
    accounts = lookups.by_id(Account, organization_id, {row.account_id for row in rows})
    entries = _entries(organization_id, {row.journal_entry_id for row in rows} - {None})
    return [
        record_of(
            OwedItemRecord,
            row,
            account_name=accounts[row.account_id].name,
            org_merchant_id=counting[row.org_merchant_id].id if row.org_merchant_id else None,
            org_merchant_name=counting[row.org_merchant_id].name if row.org_merchant_id else None,
            transaction_id=entries.get(row.journal_entry_id, ("", None))[1],
            overdue_days=(day - row.due_on).days if row.due_on and row.due_on < day and row.waits else None,
            description=entries.get(row.journal_entry_id, ("Opening items", None))[0],
            amount=Money(int(row.amount_minor), row.currency),
            amount_base=Money(int(row.amount_base_minor), base),
            settled=Money(int(row.settled_minor), row.currency),
            settled_base=Money(int(row.settled_base_minor), base),
            open=Money(int(row.open_minor), row.currency),
            open_base=Money(int(row.open_base_minor), base),
        )
        for row in rows
    ]


def _entries(organization_id: str, ids: set[int]) -> dict[int, tuple[str, int | None]]:
    """Give the description of entries, and the bank line of each that has one."""
    rows = db.session.execute(
        sa.select(JournalEntry.id, JournalEntry.description, Transaction.id)
        .outerjoin(Transaction, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(JournalEntry.organization_id == organization_id, JournalEntry.id.in_(ids))
        .order_by(Transaction.id.desc())
    )
    return {entry_id: (description, line_id) for entry_id, description, line_id in rows}
