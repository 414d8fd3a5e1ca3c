"""Reports over a period, from kept sums: trial balance, profit and loss, balance sheet.

Amounts are in the base currency, debit positive, over POSTED and VOIDED entries. Income and expenses begin each
financial year at nil. Personal accounts (`in_scope` false) stand apart in results, so that these are without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Self

from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money, total
from webapp.ledger.report_columns import Columns
from webapp.queries.reports.books import RESULT_TYPES, SHEET_TYPES, Amounts, Books, ReportAccount

# A figure of the period, of the one that it is compared with or none, and of its months where they are asked.
Figures = tuple[Money, Money | None, tuple[Money, ...] | None]


@dataclass(frozen=True, slots=True)
class AccountLine:
    """What each line of a report has of its account; without an id it is computed."""

    account_id: int | None
    code: str | None
    name: str
    type: str
    in_scope: bool


@dataclass(frozen=True, slots=True)
class ReportLine(AccountLine):
    """An account in a report."""

    amount: Money
    before: Money | None
    months: tuple[Money, ...] | None


@dataclass(frozen=True, slots=True)
class TrialLine(AccountLine):
    """An account in a trial balance: opening, change and carries make the closing; and the closing on its side.

    `before` and `months` are closings too.
    """

    opening: Money
    change: Money
    carry: Money
    closing: Money
    before: Money | None
    months: tuple[Money, ...] | None

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
    """Figures that belong together: of the period, of the one that it is compared with, and of its months."""

    amount: Money
    before: Money | None
    months: tuple[Money, ...] | None

    def __neg__(self) -> Self:
        months = None if self.months is None else tuple(-each for each in self.months)
        return type(self)(-self.amount, None if self.before is None else -self.before, months)


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """All accounts with their balances; debits and credits are equal, or the books are broken."""

    base_currency: str
    columns: Columns
    lines: list[TrialLine]
    debit: Money
    credit: Money


@dataclass(frozen=True, slots=True)
class ProfitAndLoss:
    """Income and expenses of a period; the result is what the income exceeds the expenses by.

    All three are without personal accounts. `personal` is what those come to, a debit above zero.
    """

    base_currency: str
    columns: Columns
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
    columns: Columns
    lines: list[ReportLine]
    assets: Sums
    liabilities: Sums
    equity: Sums
    result_of_year: Sums
    personal_of_year: Sums
    earlier_results: Sums
    personal_earlier: Sums

    @property
    def against(self) -> Sums:
        """What stands against the assets, above zero: liabilities and equity with the result of the year."""
        parts = (self.liabilities, self.equity, self.result_of_year, self.personal_of_year)
        return -_sums(self.columns, self.base_currency, parts)


def trial_balance(organization_id: str, columns: Columns) -> TrialBalance:
    """Give the opening, change, carry and closing of every account that has any."""
    period = columns.period
    books = Books(organization_id, [period.eve, *_ends(columns)])
    opening, change = books.opening(period.first), books.change(period)
    closings = [books.closing(day) for day in _ends(columns)]
    lines = [
        _trial_line(each, opening[each.id], change[each.id], _figures(columns, closings, each, books.base))
        for each in books.accounts
        if any(amounts[each.id] for amounts in (opening, change, *closings))
    ]
    debit = total((line.debit for line in lines if line.debit), books.base)
    credit = total((line.credit for line in lines if line.credit), books.base)
    return TrialBalance(books.base, columns, lines, debit, credit)


def _trial_line(account: ReportAccount, opening: int, change: int, closing: Figures) -> TrialLine:
    """Make a line whose carry is what opening and change leave of the closing."""
    carry, base = closing[0].minor - opening - change, closing[0].currency
    moves = (Money(opening, base), Money(change, base), Money(carry, base))
    return TrialLine(*_facts(account), *moves, *closing)


def profit_and_loss(organization_id: str, columns: Columns) -> ProfitAndLoss:
    """Give income and expenses of a period, and of those beside it; income is below zero, as a credit is."""
    periods = columns.periods
    books = Books(organization_id, [day for each in periods for day in (each.eve, each.last)])
    lines = _lines(books, columns, [books.change(each) for each in periods], RESULT_TYPES)
    add = partial(_sums, columns, books.base)
    business = [line for line in lines if line.in_scope]
    return ProfitAndLoss(
        books.base,
        columns,
        lines,
        income=add(_of(business, AccountType.INCOME)),
        expenses=add(_of(business, AccountType.EXPENSE)),
        result=-add(business),
        personal=add(_personal(lines)),
        result_with_personal=-add(lines),
    )


def balance_sheet(organization_id: str, columns: Columns) -> BalanceSheet:
    """Give assets, liabilities and equity at the close of a period, and of those beside it."""
    books = Books(organization_id, _ends(columns))
    closings = [books.closing(day) for day in _ends(columns)]
    lines = _lines(books, columns, closings, SHEET_TYPES)
    results = _lines(books, columns, closings, RESULT_TYPES)
    add = partial(_sums, columns, books.base)
    business, personal = zip(*map(books.earlier, _ends(columns)), strict=True)
    return BalanceSheet(
        books.base,
        columns,
        lines,
        assets=add(_of(lines, AccountType.ASSET)),
        liabilities=add(_of(lines, AccountType.LIABILITY)),
        equity=add(_of(lines, AccountType.EQUITY)),
        result_of_year=add([line for line in results if line.in_scope]),
        personal_of_year=add(_personal(results)),
        earlier_results=Sums(*_placed(columns, business, books.base)),
        personal_earlier=Sums(*_placed(columns, personal, books.base)),
    )


def _ends(columns: Columns) -> list[date]:
    return [each.last for each in columns.periods]


def _lines(
    books: Books, columns: Columns, amounts: Sequence[Amounts], types: Sequence[AccountType]
) -> list[ReportLine]:
    """Give the accounts of some types that have anything in any column, by type and code."""
    return [
        ReportLine(*_facts(each), *_figures(columns, amounts, each, books.base))
        for type_ in types
        for each in books.accounts
        if each.type == type_ and any(column[each.id] for column in amounts)
    ]


def _facts(account: ReportAccount) -> tuple[int | None, str | None, str, str, bool]:
    return account.id, account.code, account.name, account.type, account.in_scope


def _figures(columns: Columns, amounts: Sequence[Amounts], account: ReportAccount, base: str) -> Figures:
    return _placed(columns, [column[account.id] for column in amounts], base)


def _placed(columns: Columns, minors: Sequence[int], base: str) -> Figures:
    """Put an amount for each period of the columns in its place."""
    amount, *others = (Money(minor, base) for minor in minors)
    before = others.pop(0) if columns.compared_with else None
    return amount, before, None if columns.months is None else tuple(others)


def _sums(columns: Columns, base: str, lines: Sequence[ReportLine | Sums]) -> Sums:
    """Add up lines, column by column."""
    columns_of_lines = zip(*map(_minors, lines), strict=True)
    added = [sum(each) for each in columns_of_lines] or [0] * len(columns.periods)
    return Sums(*_placed(columns, added, base))


def _minors(line: ReportLine | Sums) -> list[int]:
    amounts = [line.amount, *([line.before] if line.before is not None else []), *(line.months or ())]
    return [each.minor for each in amounts]


def _personal(lines: Sequence[ReportLine]) -> list[ReportLine]:
    return [line for line in lines if not line.in_scope]


def _of(lines: Sequence[ReportLine], type_: AccountType) -> list[ReportLine]:
    return [line for line in lines if line.type == type_]
