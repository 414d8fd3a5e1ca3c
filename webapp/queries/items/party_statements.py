"""The statement of a party: what moved between us in a period by currency, and what is open at its end."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import Age, Owed, aged
from webapp.ledger.periods import Period
from webapp.models import (
    COUNTING,
    JournalEntry,
    Merchant,
    OwedItem,
    Posting,
    Settlement,
    SettlementPart,
    refers_to,
)
from webapp.queries.common import lookups, merchants
from webapp.queries.common.parts import with_parts
from webapp.queries.items import ageing, listings
from webapp.queries.items.ageing import Ages
from webapp.queries.items.listings import OwedItemRecord


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


@dataclass(frozen=True, slots=True)
class StatementCurrency:
    """One currency of a statement: opening and movements make the closing, which is what is open, by age."""

    currency: str
    opening: Money
    movements: tuple[StatementMovement, ...]
    closing: Money
    ages: Ages


@dataclass(frozen=True, slots=True)
class PartyStatement:
    """The statement of a party, or of what has none; what it owes us is above zero."""

    org_merchant_id: int | None
    name: str | None
    period: Period
    currencies: tuple[StatementCurrency, ...]
    items: tuple[OwedItemRecord, ...]


def statement(organization_id: str, merchant_id: int | None, period: Period) -> PartyStatement:
    """Write the statement of a party over a period, on all accounts that keep items; raises NotFoundError."""
    party = merchants.counting_id(organization_id, merchant_id)
    name = lookups.get(Merchant, organization_id, party).name if party is not None else None
    account_ids = ageing.keeping(organization_id)
    is_of_party = _of_party(organization_id, party)
    before, moved = _movements(organization_id, account_ids, period, is_of_party)
    items = listings.as_of(organization_id, period.last)
    of_party = (items.c.account_id.in_(account_ids), items.c.party.is_not_distinct_from(party))
    rows = db.session.execute(
        sa.select(items)
        .where(*of_party, listings.is_open(items))
        .order_by(items.c.currency, items.c.due_on.nulls_first(), items.c.id)
    ).all()
    records = listings.records(organization_id, rows, period.last)
    ages = _ages(rows, period.last)
    codes = sorted({*before, *moved, *ages})
    return PartyStatement(
        party,
        name,
        period,
        tuple(_currency(code, before.get(code, 0), moved.get(code, []), ages.get(code)) for code in codes),
        tuple(records),
    )


def _of_party(organization_id: str, party: int | None) -> sa.ColumnElement[bool]:
    if party is None:
        return Posting.org_merchant_id.is_(None)
    return Posting.org_merchant_id.in_(merchants.alike(organization_id, party))


def _movements(
    organization_id: str,
    account_ids: Collection[int],
    period: Period,
    is_of_party: sa.ColumnElement[bool],
) -> tuple[dict[str, int], dict[str, list[Any]]]:
    """Give by currency what was owed before a period, and the postings that moved it since."""
    chosen = (
        Posting.organization_id == organization_id,
        Posting.account_id.in_(account_ids),
        Posting.amount_minor != 0,
        is_of_party,
        JournalEntry.status.in_(COUNTING),
    )
    joined = refers_to(Posting.journal_entry_id, JournalEntry)
    sums = db.session.execute(
        sa.select(Posting.currency, sa.func.sum(Posting.amount_minor))
        .join(JournalEntry, joined)
        .where(*chosen, JournalEntry.effective_on < period.first)
        .group_by(Posting.currency)
        .with_hint(JournalEntry, ageing.BY_ROWID, "sqlite")
    )
    before = {currency: int(amount) for currency, amount in sums if amount}
    rows = db.session.execute(
        sa.select(
            Posting.currency,
            Posting.amount_minor,
            Posting.reference,
            JournalEntry.effective_on,
            JournalEntry.id,
            JournalEntry.number,
            JournalEntry.description,
        )
        .join(JournalEntry, joined)
        .where(*chosen, JournalEntry.effective_on.between(period.first, period.last))
        .order_by(JournalEntry.effective_on, JournalEntry.id, Posting.id)
        .with_hint(JournalEntry, ageing.BY_ROWID, "sqlite")
    )
    moved: dict[str, list[Any]] = {}
    for row in rows:
        moved.setdefault(row.currency, []).append(row)
    return before, moved


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
    *balances, closing = accumulate((row.amount_minor for row in moved), initial=before)
    after = [*balances[1:], closing] if moved else []
    return StatementCurrency(
        code,
        Money(before, code),
        tuple(
            StatementMovement(
                row.effective_on,
                row.id,
                row.number,
                row.reference,
                row.description,
                Money(row.amount_minor, code),
                Money(balance, code),
            )
            for row, balance in zip(moved, after, strict=True)
        ),
        Money(closing, code),
        ages or {age: Money.zero(code) for age in Age},
    )


def settlements(organization_id: str, merchant_id: int | None, *, limit: int) -> Sequence[Settlement]:
    """List the newest settlements of a party, or of what has none, that were not undone."""
    party = merchants.counting_id(organization_id, merchant_id)
    is_of_party = (
        OwedItem.org_merchant_id.is_(None)
        if party is None
        else OwedItem.org_merchant_id.in_(merchants.alike(organization_id, party))
    )
    ids = (
        sa.select(SettlementPart.settlement_id)
        .join(OwedItem, refers_to(SettlementPart.item_id, OwedItem))
        .where(SettlementPart.organization_id == organization_id, is_of_party)
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
