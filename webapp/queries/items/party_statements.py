"""The statement of a party: what moved between us in a period by currency, and what is open at its end."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, islice
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import Age, Owed, aged
from webapp.ledger.periods import Period
from webapp.models import (
    COUNTING,
    Document,
    JournalEntry,
    Merchant,
    OwedItem,
    Posting,
    Settlement,
    SettlementPart,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common import lookups, merchants
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once
from webapp.queries.common.parts import with_parts
from webapp.queries.items import ageing, listings
from webapp.queries.items.ageing import Ages
from webapp.queries.items.listings import Chosen, OwedItemRecord

# Of which one has both addresses.
MOST_DOCUMENTS: Final = 20


@dataclass(frozen=True, slots=True)
class StatementMovement:
    """An invoice, a payment or something else that moved what is owed, with what is owed after it."""

    day: date
    journal_entry_id: int
    entry_number: int
    reference: str | None
    description: str
    amount: Money
    balance: Money


class Movements(Sequence[StatementMovement]):
    """What moved in one currency, in its order; each is made as it is read, for a statement may have very many."""

    def __init__(self, currency: str, opening_minor: int, rows: Sequence[Any]) -> None:
        self._currency, self._rows = currency, rows
        self._balances = list(accumulate((row[1] for row in rows), initial=opening_minor))

    @property
    def closing(self) -> Money:
        """What is owed after the last one."""
        return Money(self._balances[-1], self._currency)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[StatementMovement]:
        return map(self._made, self._rows, islice(self._balances, 1, None))

    def __getitem__(self, place: Any) -> Any:
        rows, after = self._rows[place], self._balances[1:][place]
        return list(map(self._made, rows, after)) if isinstance(place, slice) else self._made(rows, after)

    def _made(self, row: Any, balance_minor: int) -> StatementMovement:
        currency, minor, day, entry_id, number, reference, description = row
        amount, balance = Money(minor, currency), Money(balance_minor, currency)
        return StatementMovement(day, entry_id, number, reference, description, amount, balance)


@dataclass(frozen=True, slots=True)
class StatementCurrency:
    """One currency of a statement: opening and movements make the closing, which is what is open, by age."""

    currency: str
    opening: Money
    movements: Movements
    closing: Money
    ages: Ages


@dataclass(frozen=True, slots=True)
class PartyStatement:
    """The statement of a party, or of what has none; what it owes us is above zero.

    `sender` and `recipient` are the names and addresses of both, as the party's newest e-invoice states them.
    """

    org_merchant_id: int | None
    name: str | None
    sender: Sequence[str]
    recipient: Sequence[str]
    period: Period
    currencies: tuple[StatementCurrency, ...]
    items: tuple[OwedItemRecord, ...]


def statement(organization_id: str, merchant_id: int | None, period: Period) -> PartyStatement:
    """Write the statement of a party over a period, on all accounts that keep items; raises NotFoundError."""
    party = merchants.counting_id(organization_id, merchant_id)
    name = lookups.get(Merchant, organization_id, party).name if party is not None else None
    account_ids = ageing.keeping(organization_id)
    party_ids = None if party is None else merchants.alike(organization_id, party)
    before, moved = _movements(organization_id, account_ids, period, party_ids)
    items = listings.as_of(organization_id, period.last, _of_party(account_ids, party_ids))
    rows = db.session.execute(
        sa.select(items)
        .where(listings.is_open(items))
        .order_by(items.c.currency, items.c.due_on.nulls_first(), items.c.id)
    ).all()
    records = listings.records(organization_id, rows, period.last)
    ages = _ages(rows, period.last)
    codes = sorted({*before, *moved, *ages})
    ours, theirs = _addresses(organization_id, party_ids)
    return PartyStatement(
        party,
        name,
        [organizations.get(organization_id).name, *ours],
        [name, *theirs] if name else [],
        period,
        tuple(_currency(code, before.get(code, 0), moved.get(code, []), ages.get(code)) for code in codes),
        tuple(records),
    )


def _addresses(organization_id: str, party_ids: list[int] | None) -> tuple[Sequence[str], Sequence[str]]:
    """Give our address and a party's, as the newest of its e-invoices that has both sides states them."""
    if party_ids is None:
        return (), ()
    found = db.session.scalars(
        sa.select(Document)
        .where(Document.organization_id == organization_id, Document.org_merchant_id.in_(party_ids))
        .order_by(Document.issued_on.desc().nulls_last(), Document.id.desc())
        .limit(MOST_DOCUMENTS)
    )
    for document in found:
        sides = [_address(document.invoice or {}, name) for name in ("seller", "buyer")]
        if not any(sides):
            continue
        if document.document_type == "INVOICE" or document.side == "SALE":
            return sides[0], sides[1]
        if document.document_type == "BILL" or document.side == "PURCHASE":
            return sides[1], sides[0]
    return (), ()


def _address(invoice: Mapping[str, Any], side: str) -> Sequence[str]:
    stated = invoice.get(side) or {}
    return [*(stated.get("address") or ()), *filter(None, [stated.get("country")])]


def _of_party(account_ids: list[int], party_ids: list[int] | None) -> Chosen:
    """Choose what some accounts have of a party, or of what has none."""

    def chosen(row: Any) -> sa.ColumnElement[bool]:
        merchant_id = row.org_merchant_id
        is_of_party = merchant_id.is_(None) if party_ids is None else merchant_id.in_(party_ids)
        return sa.and_(row.account_id.in_(account_ids), is_of_party)

    return chosen


def _movements(
    organization_id: str, account_ids: list[int], period: Period, party_ids: list[int] | None
) -> tuple[dict[str, int], dict[str, list[Any]]]:
    """Give by currency what was owed before a period, and the postings that moved it since."""
    before = organization_id, account_ids, period.first
    since = organization_id, account_ids, period.first, period.last
    if party_ids is None:
        asked = _sums_of_nobody(*before), _rows_of_nobody(*since)
    else:
        asked = _sums(*before, party_ids), _rows(*since, party_ids)
    sums, rows = (db.session.execute(*each).all() for each in asked)
    moved: dict[str, list[Any]] = {}
    for row in rows:
        moved.setdefault(row[0], []).append(row)
    return {currency: int(amount) for currency, amount in sums if amount}, moved


@made_once
def _sums(organization_id: str, account_ids: list[int], first: date, party_ids: list[int]) -> sa.Select[Any]:
    return _sums_before(organization_id, account_ids, first).where(among(Posting.org_merchant_id, party_ids))


@made_once
def _sums_of_nobody(organization_id: str, account_ids: list[int], first: date) -> sa.Select[Any]:
    return _sums_before(organization_id, account_ids, first).where(Posting.org_merchant_id.is_(None))


def _sums_before(organization_id: str, account_ids: list[int], first: date) -> sa.Select[Any]:
    columns: list[Any] = [Posting.currency, sa.func.sum(Posting.amount_minor)]
    found = _moving(columns, organization_id, account_ids).where(JournalEntry.effective_on < first)
    return found.group_by(Posting.currency)


@made_once
def _rows(
    organization_id: str, account_ids: list[int], first: date, last: date, party_ids: list[int]
) -> sa.Select[Any]:
    rows = _rows_since(organization_id, account_ids, first, last)
    return rows.where(among(Posting.org_merchant_id, party_ids))


@made_once
def _rows_of_nobody(organization_id: str, account_ids: list[int], first: date, last: date) -> sa.Select[Any]:
    return _rows_since(organization_id, account_ids, first, last).where(Posting.org_merchant_id.is_(None))


def _rows_since(organization_id: str, account_ids: list[int], first: date, last: date) -> sa.Select[Any]:
    """Select the currency and the amount of what moved in a period, with what is told of it, in its order."""
    columns: list[Any] = [
        Posting.currency,
        Posting.amount_minor,
        JournalEntry.effective_on,
        JournalEntry.id,
        JournalEntry.number,
        Posting.reference,
        JournalEntry.description,
    ]
    found = _moving(columns, organization_id, account_ids)
    return found.where(JournalEntry.effective_on.between(first, last)).order_by(
        JournalEntry.effective_on, JournalEntry.id, Posting.id
    )


def _moving(columns: list[Any], organization_id: str, account_ids: list[int]) -> sa.Select[Any]:
    """Select of the postings that move what is owed, each with its entry."""
    return (
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            among(Posting.account_id, account_ids),
            Posting.amount_minor != 0,
            JournalEntry.status.in_(COUNTING),
        )
    )


def _ages(rows: Sequence[Any], day: date) -> dict[str, Ages]:
    owed = [
        Owed(row.party, row.currency, row.due_on, int(row.open_minor), int(row.open_base_minor))
        for row in rows
    ]
    return {
        each.currency: {age: Money(minor, each.currency) for age, minor in each.amounts.items()}
        for each in aged(owed, day)
    }


def _currency(code: str, before: int, moved: Sequence[Any], ages: Ages | None) -> StatementCurrency:
    movements = Movements(code, before, moved)
    return StatementCurrency(
        code,
        Money(before, code),
        movements,
        movements.closing,
        ages or {age: Money.zero(code) for age in Age},
    )


def settlements(organization_id: str, merchant_id: int | None, *, limit: int) -> Sequence[Settlement]:
    """List the newest settlements of a party, or of what has none, that were not undone."""
    party = merchants.counting_id(organization_id, merchant_id)
    party_ids = None if party is None else merchants.alike(organization_id, party)
    is_of_party = _of_party(ageing.keeping(organization_id), party_ids)
    items = sa.select(OwedItem.id).where(OwedItem.organization_id == organization_id, is_of_party(OwedItem))
    ids = sa.select(SettlementPart.settlement_id).where(
        SettlementPart.organization_id == organization_id, SettlementPart.item_id.in_(items)
    )
    found = db.session.scalars(
        sa.select(Settlement)
        .where(
            Settlement.organization_id == organization_id,
            Settlement.status == "STANDING",
            Settlement.id.in_(ids),
        )
        .order_by(Settlement.id.desc())
        .limit(limit)
    ).all()
    return with_parts(Settlement.parts, found)
