"""An account's register: its postings in the order of days and entries, each with the balance after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import accumulate
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.models import Account, JournalEntry, Posting, RegisterLine, refers_to
from webapp.queries.access import organizations
from webapp.queries.accounts import balances
from webapp.queries.accounts.balances import Balance
from webapp.queries.common.paging import Order, Page, page_of_rows

KEY: tuple[Any, ...] = (RegisterLine.day, RegisterLine.journal_entry_id, RegisterLine.posting_id)
Key = tuple[date, int, int]


@dataclass(frozen=True, slots=True)
class RegisterRecord:
    """A posting that counts, and the balance of the account after it: in its currency, else in the base currency."""

    journal_entry_id: int
    entry_number: int
    effective_on: date
    description: str
    status: str
    source: str
    transaction_id: int | None
    amount: Money
    currency: str
    amount_base: Money
    balance: Money
    balance_base: Money


def page(
    account: Account,
    *,
    oldest_first: bool = False,
    from_: date | None = None,
    to: date | None = None,
    after: tuple[Any, ...] | None = None,
    limit: int,
) -> Page[RegisterRecord]:
    """List an account's postings from either end; the balance before them comes from the kept sums.

    So the last page costs what the first one costs, however long the history is.
    """
    statement = _lines(account)
    if from_ is not None:
        statement = statement.where(RegisterLine.day >= from_)
    if to is not None:
        statement = statement.where(RegisterLine.day <= to)
    found = page_of_rows(statement, Order(KEY, ascends=oldest_first), after=after, limit=limit)
    records = _with_balances(account, found.items if oldest_first else found.items[::-1])
    return found.of(records if oldest_first else records[::-1])


def _lines(account: Account) -> sa.Select[Any]:
    columns: tuple[Any, ...] = (
        *KEY,
        Posting.amount_minor,
        Posting.currency,
        Posting.amount_base_minor,
        Posting.base_currency,
        Posting.transaction_id,
        JournalEntry.description,
        JournalEntry.status,
        JournalEntry.source,
        JournalEntry.number,
    )
    return (
        sa.select(*columns)
        .select_from(RegisterLine)
        .join(Posting, refers_to(RegisterLine.posting_id, Posting))
        .join(JournalEntry, refers_to(RegisterLine.journal_entry_id, JournalEntry))
        .where(refers_to(RegisterLine.account_id, account))
    )


def _with_balances(account: Account, rows: Sequence[Any]) -> list[RegisterRecord]:
    """Add up from the balance before the oldest of the rows, which come oldest first."""
    if not rows:
        return []
    base = organizations.get(account.organization_id).base_currency
    before = before_key(account, tuple(rows[0][:3]))
    own = accumulate((row.amount_minor for row in rows), initial=before.amount_minor)
    mirrored = accumulate((row.amount_base_minor for row in rows), initial=before.amount_base_minor)
    next(own), next(mirrored)
    return [
        _record(account, base, row, Balance(*after))
        for row, after in zip(rows, zip(own, mirrored, strict=True), strict=True)
    ]


def before_key(account: Account, key: Key) -> Balance:
    """Give the balance of an account before one of its postings: the days before it, and its own day up to it."""
    day = key[0]
    kept = balances.NOTHING
    if day > date.min:
        found = balances.of_accounts(account.organization_id, [account.id], through=day - timedelta(days=1))
        kept = found.get(account.id, balances.NOTHING)
    last = sa.tuple_(*(sa.literal(value, column.type) for value, column in zip(key, KEY, strict=True)))
    amount, mirrored = db.session.execute(
        sa.select(
            sa.func.sum(Posting.amount_minor),
            sa.func.sum(Posting.amount_base_minor),
        )
        .select_from(RegisterLine)
        .join(Posting, refers_to(RegisterLine.posting_id, Posting))
        .where(
            refers_to(RegisterLine.account_id, account),
            RegisterLine.day == day,
            sa.tuple_(*KEY) < last,
        )
    ).one()
    return Balance(kept.amount_minor + int(amount or 0), kept.amount_base_minor + int(mirrored or 0))


def _record(account: Account, base: str, row: Any, after: Balance) -> RegisterRecord:
    balance_base = Money(after.amount_base_minor, base)
    return RegisterRecord(
        journal_entry_id=row.journal_entry_id,
        entry_number=row.number,
        effective_on=row.day,
        description=row.description,
        status=row.status,
        source=row.source,
        transaction_id=row.transaction_id,
        amount=Money(row.amount_minor, row.currency),
        currency=row.currency,
        amount_base=Money(row.amount_base_minor, row.base_currency),
        balance=Money(after.amount_minor, account.currency) if account.currency else balance_base,
        balance_base=balance_base,
    )
