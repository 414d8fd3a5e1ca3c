"""Reports over a period, from kept sums: trial balance, profit and loss, balance sheet.

Amounts are in the base currency, debit positive, over POSTED and VOIDED entries. Income and expenses begin each
financial year at nil. Personal accounts (`in_scope` false) stand apart in results, so that these are without them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money, total
from webapp.ledger.periods import Period
from webapp.queries.reports.books import RESULT_TYPES, SHEET_TYPES, Amounts, Books


@dataclass(frozen=True, slots=True)
class ReportLine:
    """An account in a report: its amount of the period, and that of the period before."""

    account_id: int | None
    code: str | None
    name: str
    type: str
    in_scope: bool
    amount: Money
    before: Money


@dataclass(frozen=True, slots=True)
class TrialLine:
    """An account in a trial balance: opening, change and carries make the closing; and the closing on its side."""

    account_id: int | None
    code: str | None
    name: str
    type: str
    in_scope: bool
    opening: Money
    change: Money
    carry: Money
    closing: Money

    @property
    def debit(self) -> Money | None:
        """The closing balance where it is a debit."""
        return self.closing if self.closing.minor > 0 else None

    @property
    def credit(self) -> Money | None:
        """The closing balance, without its sign, where it is a credit."""
        return -self.closing if self.closing.minor < 0 else None


@dataclass(frozen=True, slots=True)
class Sums:
    """Two figures that belong together: of the period, and of the one before."""

    amount: Money
    before: Money

    @classmethod
    def of(cls, lines: Iterable[ReportLine], base: str) -> Self:
        """Add up lines."""
        found = list(lines)
        return cls(total((line.amount for line in found), base), total((line.before for line in found), base))

    def __neg__(self) -> Self:
        return type(self)(-self.amount, -self.before)


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """All accounts with their balances; debits and credits are equal, or the books are broken."""

    base_currency: str
    period: Period
    lines: list[TrialLine]
    debit: Money
    credit: Money


@dataclass(frozen=True, slots=True)
class ProfitAndLoss:
    """Income and expenses of a period; the result is what the income exceeds the expenses by.

    All three are without personal accounts. `personal` is what those come to, a debit above zero.
    """

    base_currency: str
    period: Period
    lines: list[ReportLine]
    income: Sums
    expenses: Sums
    result: Sums
    personal: Sums
    result_with_personal: Sums


@dataclass(frozen=True, slots=True)
class BalanceSheet:
    """What is owned, owed and left at the close of a period's last day.

    The equity has what earlier years left: `earlier_results` is within retained earnings although no entry carried it
    there, `personal_earlier` a line without an account.
    """

    base_currency: str
    period: Period
    lines: list[ReportLine]
    assets: Sums
    liabilities: Sums
    equity: Sums
    result_of_year: Sums
    personal_of_year: Sums
    earlier_results: Sums
    personal_earlier: Sums


def trial_balance(organization_id: str, period: Period) -> TrialBalance:
    """Give the opening, change, carry and closing of every account that has any."""
    books = Books(organization_id, [period.eve, period.last])
    opening, change, closing = books.opening(period.first), books.change(period), books.closing(period.last)
    lines = [
        TrialLine(
            each.id,
            each.code,
            each.name,
            each.type,
            each.in_scope,
            *(Money(minor, books.base) for minor in _row(each.id, opening, change, closing)),
        )
        for each in books.accounts
        if opening[each.id] or change[each.id] or closing[each.id]
    ]
    debit = total((line.debit for line in lines if line.debit), books.base)
    credit = total((line.credit for line in lines if line.credit), books.base)
    return TrialBalance(books.base, period, lines, debit, credit)


def _row(account_id: int | None, opening: Amounts, change: Amounts, closing: Amounts) -> Iterator[int]:
    """Give opening, change, carry and closing; the carry is what the three others leave."""
    first, moved, last = opening[account_id], change[account_id], closing[account_id]
    yield from (first, moved, last - first - moved, last)


def profit_and_loss(organization_id: str, period: Period) -> ProfitAndLoss:
    """Give income and expenses of a period beside those of the one before; income is below zero, as a credit is."""
    books = Books(organization_id, [period.before.eve, period.before.last, period.last])
    lines = _lines(books, RESULT_TYPES, books.change(period), books.change(period.before))
    business = [line for line in lines if line.in_scope]
    return ProfitAndLoss(
        books.base,
        period,
        lines,
        income=Sums.of(_of(business, AccountType.INCOME), books.base),
        expenses=Sums.of(_of(business, AccountType.EXPENSE), books.base),
        result=-Sums.of(business, books.base),
        personal=Sums.of(_personal(lines), books.base),
        result_with_personal=-Sums.of(lines, books.base),
    )


def balance_sheet(organization_id: str, period: Period) -> BalanceSheet:
    """Give assets, liabilities and equity at the period's close, beside those at the close of the period before."""
    books = Books(organization_id, [period.eve, period.last])
    days = (period.last, period.eve)
    lines = _lines(books, SHEET_TYPES, *map(books.closing, days))
    results = _lines(books, RESULT_TYPES, *map(books.closing, days))
    business, personal = zip(*map(books.earlier, days), strict=True)
    return BalanceSheet(
        books.base,
        period,
        lines,
        assets=Sums.of(_of(lines, AccountType.ASSET), books.base),
        liabilities=Sums.of(_of(lines, AccountType.LIABILITY), books.base),
        equity=Sums.of(_of(lines, AccountType.EQUITY), books.base),
        result_of_year=Sums.of((line for line in results if line.in_scope), books.base),
        personal_of_year=Sums.of(_personal(results), books.base),
        earlier_results=Sums(*(Money(minor, books.base) for minor in business)),
        personal_earlier=Sums(*(Money(minor, books.base) for minor in personal)),
    )


def _lines(books: Books, types: Sequence[AccountType], now: Amounts, before: Amounts) -> list[ReportLine]:
    """Give the accounts of some types that have anything, by type and code."""
    return [
        ReportLine(
            each.id,
            each.code,
            each.name,
            each.type,
            each.in_scope,
            Money(now[each.id], books.base),
            Money(before[each.id], books.base),
        )
        for type_ in types
        for each in books.accounts
        if each.type == type_ and (now[each.id] or before[each.id])
    ]


def _personal(lines: Iterable[ReportLine]) -> Iterator[ReportLine]:
    return (line for line in lines if not line.in_scope)


def _of(lines: Sequence[ReportLine], type_: AccountType) -> list[ReportLine]:
    return [line for line in lines if line.type == type_]
