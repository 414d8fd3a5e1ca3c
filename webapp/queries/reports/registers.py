"""An account's register: its postings in the order of days and entries, each with the balance after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.models import (
    Account,
    DaySum,
    JournalEntry,
    MonthSum,
    Organization,
    Posting,
    RegisterLine,
    refers_to,
)
from webapp.queries.accounts.balances import Balance
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Page
from webapp.queries.common.records import record_of

Key = tuple[date, int, int]


@dataclass(frozen=True, slots=True)
class RegisterAccount:
    """The account of a register; without a currency of its own, its balances are in the base currency."""

    organization_id: str
    id: int
    currency: str | None
    base_currency: str


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


def account(organization_id: str, account_id: int) -> RegisterAccount:
    """Find an account, or raise NotFoundError."""
    found = db.session.execute(*_currencies(organization_id, account_id)).first()
    if found is None:
        raise NotFoundError
    return RegisterAccount(organization_id, account_id, *found)


@made_once
def _currencies(organization_id: str, account_id: int) -> sa.Select[*tuple[Any, ...]]:
    return (
        sa.select(Account.currency, Organization.base_currency)
        .join(Organization, Organization.id == Account.organization_id)
        .where(Account.organization_id == organization_id, Account.id == account_id)
    )


def page(
    of: RegisterAccount,
    *,
    oldest_first: bool = False,
    from_: date | None = None,
    to: date | None = None,
    after: Key | None = None,
    limit: int,
) -> Page[RegisterRecord]:
    """List an account's postings from either end; the balance before them comes from the kept sums.

    So the last page costs what the first one costs, however long the history is.
    """
    values: dict[str, Any] = {"first": from_, "last": to}
    if after is not None:
        # The key takes the place of the day that it lies beyond: a database searches its index by one bound on a side.
        values.pop("first" if oldest_first else "last")
        values |= zip(("key_day", "key_entry", "key_posting"), after, strict=True)
    bounds = {name: value for name, value in values.items() if value is not None}
    statement = _lines(frozenset(bounds), ascends=oldest_first)
    of_account = {"organization_id": of.organization_id, "account_id": of.id, "most": limit + 1}
    rows = db.session.execute(statement, of_account | bounds).all()
    shown = rows[:limit]
    records = _with_balances(of, shown if oldest_first else shown[::-1])
    return Page(
        records if oldest_first else records[::-1],
        _key(shown[-1]) if len(rows) > limit else None,
        lambda: _whole(of, from_, to),
    )


def _key(row: Any) -> Key:
    return row.day, row.journal_entry_id, row.posting_id


def _whole(of: RegisterAccount, from_: date | None, to: date | None) -> sa.Select[Any]:
    """Select the lines of all pages, to be counted."""
    lines = sa.select(RegisterLine.posting_id).where(
        RegisterLine.organization_id == of.organization_id, RegisterLine.account_id == of.id
    )
    if from_ is not None:
        lines = lines.where(RegisterLine.day >= from_)
    return lines if to is None else lines.where(RegisterLine.day <= to)


def _with_balances(of: RegisterAccount, rows: Sequence[Any]) -> list[RegisterRecord]:
    """Add up from the balance before the oldest of the rows, which come oldest first."""
    if not rows:
        return []
    before = _before(of, _key(rows[0]))
    own = accumulate((row.amount_minor for row in rows), initial=before.amount_minor)
    mirrored = accumulate((row.amount_base_minor for row in rows), initial=before.amount_base_minor)
    next(own), next(mirrored)
    return [
        _record(of, row, Balance(*after))
        for row, after in zip(rows, zip(own, mirrored, strict=True), strict=True)
    ]


def _before(of: RegisterAccount, key: Key) -> Balance:
    """Give the balance of an account before one of its postings: the days before it, and its own day up to it."""
    day, entry_id, posting_id = key
    amount, mirrored = db.session.execute(
        *_sums_before(
            of.organization_id,
            of.id,
            month=day.replace(day=1),
            day=day,
            entry_id=entry_id,
            posting_id=posting_id,
        )
    ).one()
    return Balance(int(amount or 0), int(mirrored or 0))


@made_once
def _sums_before(
    organization_id: str, account_id: int, *, month: date, day: date, entry_id: int, posting_id: int
) -> sa.Select[Any]:
    def kept(part: Any, *within: Any) -> Any:
        return sa.select(part.amount_minor, part.amount_base_minor).where(
            part.organization_id == organization_id, part.account_id == account_id, *within
        )

    that_day = (
        sa.select(Posting.amount_minor, Posting.amount_base_minor)
        .join_from(RegisterLine, Posting, refers_to(RegisterLine.posting_id, Posting))
        .where(
            RegisterLine.organization_id == organization_id,
            RegisterLine.account_id == account_id,
            RegisterLine.day == day,
            sa.tuple_(RegisterLine.journal_entry_id, RegisterLine.posting_id)
            < sa.tuple_(entry_id, posting_id),
        )
    )
    sums = sa.union_all(
        kept(MonthSum, MonthSum.day < month), kept(DaySum, DaySum.day >= month, DaySum.day < day), that_day
    ).subquery()
    return sa.select(sa.func.sum(sums.c.amount_minor), sa.func.sum(sums.c.amount_base_minor))


def _record(of: RegisterAccount, row: Any, after: Balance) -> RegisterRecord:
    balance_base = Money(after.amount_base_minor, of.base_currency)
    return record_of(
        RegisterRecord,
        row,
        entry_number=row.number,
        effective_on=row.day,
        amount=Money(row.amount_minor, row.currency),
        amount_base=Money(row.amount_base_minor, row.base_currency),
        balance=Money(after.amount_minor, of.currency) if of.currency else balance_base,
        balance_base=balance_base,
    )


@lru_cache(maxsize=16)
def _lines(bounds: frozenset[str], *, ascends: bool) -> Any:
    """Make the statement of a page within some bounds, which are named by their parameters."""
    key = RegisterLine.day, RegisterLine.journal_entry_id, RegisterLine.posting_id
    named = sa.bindparam
    statement: Any = (
        sa.select(
            *key,
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
        .join_from(RegisterLine, Posting, refers_to(RegisterLine.posting_id, Posting))
        .join(JournalEntry, refers_to(RegisterLine.journal_entry_id, JournalEntry))
        .where(
            RegisterLine.organization_id == named("organization_id"),
            RegisterLine.account_id == named("account_id"),
        )
        .order_by(*(column if ascends else column.desc() for column in key))
        .limit(named("most"))
    )
    if "first" in bounds:
        statement = statement.where(RegisterLine.day >= named("first"))
    if "last" in bounds:
        statement = statement.where(RegisterLine.day <= named("last"))
    if "key_day" in bounds:
        last = sa.tuple_(*(named(name, type_=column.type) for name, column in zip(_LAST, key, strict=True)))
        here = sa.tuple_(*key)
        statement = statement.where(here > last if ascends else here < last)
    return statement.execution_options(is_made_once=True)


# The parameters of the key of the last row that was shown.
_LAST: Final = ("key_day", "key_entry", "key_posting")
