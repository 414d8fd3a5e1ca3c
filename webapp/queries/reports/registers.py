"""An account's register: its postings in the order of days and entries, each with the balance after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import accumulate
from typing import Any, Final

import sqlalchemy as sa

from webapp.ledger.errors import NotFoundError
from webapp.ledger.money import Money
from webapp.models import RegisterLine
from webapp.queries.accounts.balances import Balance
from webapp.queries.common.paging import Page
from webapp.snapshots import stored_values
from webapp.snapshots.statements import TextStatement

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
    rows = _ACCOUNT.rows(organization_id=organization_id, account_id=account_id)
    if not rows:
        raise NotFoundError
    return RegisterAccount(organization_id, account_id, *rows[0])


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
    statement = _lines(frozenset(BOUNDS.keys() & bounds), ascends=oldest_first)
    of_account = {"organization_id": of.organization_id, "account_id": of.id}
    rows = [_Row(*row) for row in statement.rows(**of_account, **bounds, most=limit + 1)]
    shown = rows[:limit]
    records = _with_balances(of, shown if oldest_first else shown[::-1])
    return Page(
        records if oldest_first else records[::-1],
        shown[-1].key if len(rows) > limit else None,
        lambda: _whole(of, from_, to),
    )


class _Row:
    """A line of the register as it is read."""

    __slots__ = ("key", "rest")

    def __init__(self, day: Any, entry_id: int, posting_id: int, *rest: Any) -> None:
        on = stored_values.day(day)
        if on is None:
            raise ValueError(day)
        self.key: Key = (on, entry_id, posting_id)
        self.rest = rest


def _whole(of: RegisterAccount, from_: date | None, to: date | None) -> sa.Select[Any]:
    """Select the lines of all pages, to be counted."""
    lines = sa.select(RegisterLine.posting_id).where(
        RegisterLine.organization_id == of.organization_id, RegisterLine.account_id == of.id
    )
    if from_ is not None:
        lines = lines.where(RegisterLine.day >= from_)
    return lines if to is None else lines.where(RegisterLine.day <= to)


def _with_balances(of: RegisterAccount, rows: Sequence[_Row]) -> list[RegisterRecord]:
    """Add up from the balance before the oldest of the rows, which come oldest first."""
    if not rows:
        return []
    before = _before(of, rows[0].key)
    own = accumulate((row.rest[0] for row in rows), initial=before.amount_minor)
    mirrored = accumulate((row.rest[2] for row in rows), initial=before.amount_base_minor)
    next(own), next(mirrored)
    return [
        _record(of, row, Balance(*after))
        for row, after in zip(rows, zip(own, mirrored, strict=True), strict=True)
    ]


def _before(of: RegisterAccount, key: Key) -> Balance:
    """Give the balance of an account before one of its postings: the days before it, and its own day up to it."""
    day, entry_id, posting_id = key
    ((amount, mirrored),) = _BEFORE.rows(
        organization_id=of.organization_id,
        account_id=of.id,
        month=day.replace(day=1),
        day=day,
        entry_id=entry_id,
        posting_id=posting_id,
    )
    return Balance(int(amount or 0), int(mirrored or 0))


def _record(of: RegisterAccount, row: _Row, after: Balance) -> RegisterRecord:
    amount, currency, base, base_currency, line_id, description, status, source, number = row.rest
    balance_base = Money(after.amount_base_minor, of.base_currency)
    return RegisterRecord(
        journal_entry_id=row.key[1],
        entry_number=number,
        effective_on=row.key[0],
        description=description,
        status=status,
        source=source,
        transaction_id=line_id,
        amount=Money(amount, currency),
        currency=currency,
        amount_base=Money(base, base_currency),
        balance=Money(after.amount_minor, of.currency) if of.currency else balance_base,
        balance_base=balance_base,
    )


_KEY: Final = "l.day, l.journal_entry_id, l.posting_id"
_LAST: Final = "(:key_day, :key_entry, :key_posting)"
# What a page is bounded by, by the name of the first value.
BOUNDS: Final = {
    "first": "AND l.day >= :first",
    "last": "AND l.day <= :last",
    "key_day": f"AND ({_KEY}) {{beyond}} {_LAST}",
}
_LINES: Final = f"""
    SELECT {_KEY}, p.amount_minor, p.currency, p.amount_base_minor, p.base_currency, p.transaction_id,
        e.description, e.status, e.source, e.number
    FROM register_lines l
    JOIN postings p ON p.organization_id = :organization_id AND p.id = l.posting_id
    JOIN journal_entries e ON {{unindexed}}e.organization_id = :organization_id AND e.id = l.journal_entry_id
    WHERE l.organization_id = :organization_id AND l.account_id = :account_id"""  # noqa: S608  (our own words)
_ACCOUNT: Final = TextStatement("""
    SELECT a.currency, o.base_currency FROM accounts a JOIN organizations o ON o.id = a.organization_id
    WHERE a.organization_id = :organization_id AND a.id = :account_id""")
_BEFORE: Final = TextStatement("""
    SELECT sum(s.amount_minor), sum(s.amount_base_minor) FROM (
        SELECT m.amount_minor, m.amount_base_minor FROM month_sums m
        WHERE m.organization_id = :organization_id AND m.account_id = :account_id AND m.day < :month
        UNION ALL
        SELECT d.amount_minor, d.amount_base_minor FROM day_sums d
        WHERE d.organization_id = :organization_id AND d.account_id = :account_id
            AND d.day >= :month AND d.day < :day
        UNION ALL
        SELECT p.amount_minor, p.amount_base_minor FROM register_lines l
        JOIN postings p ON p.organization_id = :organization_id AND p.id = l.posting_id
        WHERE l.organization_id = :organization_id AND l.account_id = :account_id AND l.day = :day
            AND (l.journal_entry_id, l.posting_id) < (:entry_id, :posting_id)) s""")


@lru_cache(maxsize=16)
def _lines(bounds: frozenset[str], *, ascends: bool) -> TextStatement:
    """Make the statement of a page within some bounds."""
    within = " ".join(BOUNDS[name] for name in sorted(bounds)).replace("{beyond}", ">" if ascends else "<")
    direction = "" if ascends else " DESC"
    order = ", ".join(f"{column}{direction}" for column in _KEY.split(", "))
    return TextStatement(f"{_LINES} {within} ORDER BY {order} LIMIT :most", unindexed=("+", ""))
