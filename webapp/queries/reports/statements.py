"""Statements over a period, from kept sums: profit and loss, balance sheet.

Amounts are in the base currency, debit positive, over POSTED and VOIDED entries. Income and expenses begin each
financial year at nil. Personal accounts (`in_scope` false) stand apart in results, so that these are without them.
A report of selected postings is made of these alone: what stands against them may be elsewhere.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from webapp.ledger.chart import BANK, AccountType
from webapp.ledger.closing.layouts import (
    PRESET,
    ComputedGroup,
    LayoutRow,
    StatementLayout,
    layout_of,
    members,
    percent,
)
from webapp.ledger.money import Money
from webapp.ledger.report_columns import ReportColumns
from webapp.ledger.warnings import ReportWarning
from webapp.queries.access import organizations
from webapp.queries.currencies import revaluation_verdicts
from webapp.queries.journal import cut_offs, schedules
from webapp.queries.reports.books import (
    EQUITY_AND_RESULT_TYPES,
    RESULT_TYPES,
    SHEET_TYPES,
    Amounts,
    ReportAccount,
    ReportBooks,
)
from webapp.queries.reports.figures import Grid, Minors, PartFigures, Row, Sums

Rows = Iterable[tuple[ReportAccount, Row]]
GroupedRow = tuple[str, ReportAccount, Row]
# The rows of a balance sheet that are no accounts: what the year has earned, of the books and personally.
RESULTS: Final = ("Result of the year", "Personal, of the year")


@dataclass(frozen=True, slots=True)
class AccountLine:
    """What each line of a report has of its account; without an id it is computed."""

    account_id: int | None
    code: str | None
    name: str
    type: str
    in_scope: bool
    group: str


@dataclass(frozen=True, slots=True)
class ReportLine(AccountLine):
    """An account in a report."""

    amount: Money
    before: Money | None
    months: tuple[Money, ...] | None
    year_to_date: Money | None
    parts: tuple[PartFigures, ...] | None


@dataclass(frozen=True, slots=True)
class StatementRow:
    """A row of a statement's layout: a group with its accounts, or a subtotal, both signed as the layout has them.

    `percents` are its shares of the sales in each column, none where there are no sales.
    """

    code: str
    name: str
    kind: str
    figures: Sums
    percents: tuple[str | None, ...]
    lines: list[ReportLine]

    @property
    def percent_of_sales(self) -> str | None:
        """Its share of the sales of the period."""
        return self.percents[0]


@dataclass(frozen=True, slots=True)
class ProfitAndLoss:
    """Income and expenses of a period; the result is what the income exceeds the expenses by.

    All three are without personal accounts. `personal` is what those come to, a debit above zero. `accounts` are those
    of the chart, with and without a line.
    """

    base_currency: str
    columns: ReportColumns
    lines: list[ReportLine]
    income: Sums
    expenses: Sums
    result: Sums
    personal: Sums
    result_with_personal: Sums
    warnings: list[ReportWarning]
    accounts: Mapping[int, ReportAccount]
    layout: StatementLayout
    rows: list[StatementRow]


@dataclass(frozen=True, slots=True)
class BalanceSheet:
    """What is owned, owed and left at the close of a period's last day.

    Of the accounts that keep items, customers in credit are a line of the liabilities, suppliers in debit one of the
    assets, both without an account.
    The equity has what earlier years left: `earlier_results` is within retained earnings although no entry carried it
    there, `personal_earlier` a line without an account. `against` is what stands against the assets, above zero:
    liabilities and equity with the result of the year; `equity_with_results` is that without the liabilities, a
    credit below zero.
    """

    base_currency: str
    columns: ReportColumns
    lines: list[ReportLine]
    assets: Sums
    liabilities: Sums
    equity: Sums
    result_of_year: Sums
    personal_of_year: Sums
    earlier_results: Sums
    personal_earlier: Sums
    equity_with_results: Sums
    against: Sums
    warnings: list[ReportWarning]
    layout: StatementLayout
    rows: list[StatementRow]


def profit_and_loss(
    organization_id: str, columns: ReportColumns, *, within: int | None = None, layout: str = PRESET
) -> ProfitAndLoss:
    """Give income and expenses of a period, and of those beside it; income is below zero, as a credit is.

    With `within` only an account and what stands under it count.
    """
    periods = columns.periods
    days = [day for each in periods for day in (each.eve, each.last)]
    books = ReportBooks(
        organization_id, days, columns.selection, columns.by, unadjusted_on=columns.unadjusted_on
    )
    grid = Grid(books, columns, lambda each: [each.change(period) for period in periods])
    rows = grid.rows(RESULT_TYPES)
    if within is not None:
        chosen = books.under(within)
        rows = [(account, row) for account, row in rows if account.id in chosen]
    business = [(account, row) for account, row in rows if account.in_scope]
    cut_off = cut_offs.warning(organization_id, columns.period.last)
    return ProfitAndLoss(
        books.base,
        columns,
        _lines(grid, rows),
        income=grid.total(_of(business, AccountType.INCOME)),
        expenses=grid.total(_of(business, AccountType.EXPENSE)),
        result=-grid.total(_of(business)),
        personal=grid.total(_personal(rows)),
        result_with_personal=-grid.total(_of(rows)),
        warnings=[] if columns.selection or cut_off is None else [cut_off],
        accounts={each.account_id: each for each in books.accounts if each.account_id},
        layout=layout_of(layout),
        rows=_arranged(grid, layout_of(layout).profit, [(each.group, each, row) for each, row in business]),
    )


def balance_sheet(organization_id: str, columns: ReportColumns, *, layout: str = PRESET) -> BalanceSheet:
    """Give assets, liabilities and equity at the close of a period, and of those beside it."""
    columns = replace(columns, year_to_date=None)
    ends = ends_of(columns)
    chosen = columns.selection, columns.by
    books = ReportBooks(
        organization_id, ends, *chosen, parties_apart=True, unadjusted_on=columns.unadjusted_on
    )
    grid = Grid(books, columns, lambda each: closings(each, columns))
    rows, results = grid.rows(SHEET_TYPES), grid.rows(RESULT_TYPES)
    earlier = Grid(books, columns, lambda each: [_earlier(each, day) for day in ends])
    return BalanceSheet(
        books.base,
        columns,
        _lines(grid, rows),
        assets=grid.total(_of(rows, AccountType.ASSET)),
        liabilities=grid.total(_of(rows, AccountType.LIABILITY)),
        equity=grid.total(_of(rows, AccountType.EQUITY)),
        result_of_year=grid.total(row for account, row in results if account.in_scope),
        personal_of_year=grid.total(_personal(results)),
        earlier_results=earlier.sums(earlier.row(lambda amounts: amounts[BUSINESS])),
        personal_earlier=earlier.sums(earlier.row(lambda amounts: amounts[PERSONAL])),
        equity_with_results=grid.total(
            row for account, row in [*rows, *results] if account.type in EQUITY_AND_RESULT_TYPES
        ),
        against=-grid.total(row for account, row in [*rows, *results] if account.type != AccountType.ASSET),
        warnings=_warnings(organization_id, columns),
        layout=layout_of(layout),
        rows=_arranged(
            grid, layout_of(layout).sheet, _presented(organization_id, grid, columns, rows, results)
        ),
    )


def _presented(
    organization_id: str, grid: Grid, columns: ReportColumns, rows: Rows, results: Rows
) -> Iterator[GroupedRow]:
    """Give the rows of a balance sheet with their groups; overdrawn banks and what is due of loans stand apart."""
    is_whole = not columns.selection and columns.by is None
    due = schedules.due_of_loans(organization_id, ends_of(columns)) if is_whole else {}
    for account, row in rows:
        if account.group == BANK:
            apart, group = _below_zero(row), ComputedGroup.OVERDRAFTS
        elif account.type == AccountType.LIABILITY and (of_loan := due.get(account.id or 0)):
            minors = [max(min(0, minor), -part) for minor, part in zip(row.whole, of_loan, strict=True)]
            apart, group = Row(minors, row.parts), ComputedGroup.DUE_WITHIN_A_YEAR
        else:
            yield account.group, account, row
            continue
        yield group.value, account, apart
        yield account.group, account, row.less(apart)
    for name, of in zip(RESULTS, (True, False), strict=True):
        account = ReportAccount(None, None, name, AccountType.EQUITY.value, in_scope=of)
        yield (
            ComputedGroup.RESULT_OF_YEAR.value,
            account,
            grid.added(r for each, r in results if each.in_scope is of),
        )


def _below_zero(row: Row) -> Row:
    """Keep of a row the columns in which the whole is below zero."""
    kept = [minor < 0 for minor in row.whole]
    return Row(_kept(row.whole, kept), [_kept(each, kept) for each in row.parts])


def _kept(minors: Minors, kept: Sequence[bool]) -> list[int]:
    return [minor if is_kept else 0 for minor, is_kept in zip(minors, kept, strict=True)]


def _arranged(grid: Grid, layout: Sequence[LayoutRow], rows: Iterable[GroupedRow]) -> list[StatementRow]:
    """Give the rows of a layout: of its groups those that have an account, and every subtotal."""
    found = [(group, account, row) for group, account, row in rows if row.has_any]
    within = members(layout)
    sales = grid.added(row for group, _, row in found if group == "SALES").whole
    arranged = []
    for each in layout:
        of = [(account, row) for group, account, row in found if group in within[each.code]]
        if not of and not each.of:
            continue
        whole = grid.added(row for _, row in of)
        percents = tuple(
            percent(minor, -sold) for minor, sold in zip(whole.signed(each.sign), sales, strict=True)
        )
        figures = grid.sums(whole)
        lines = _lines(grid, [] if each.of else of, each.sign)
        arranged.append(
            StatementRow(
                each.code, each.name, each.kind, figures if each.sign > 0 else -figures, percents, lines
            )
        )
    return arranged


def _warnings(organization_id: str, columns: ReportColumns) -> list[ReportWarning]:
    """Say what is not as the day of a balance sheet needs it; figures of selected postings say nothing of it."""
    if columns.selection:
        return []
    verdict = revaluation_verdicts.of_day(organizations.get(organization_id), columns.period.last)
    found = verdict.warning, cut_offs.warning(organization_id, columns.period.last)
    return [each for each in found if each is not None]


# The results of earlier years, in place of accounts.
BUSINESS, PERSONAL = 0, 1


def _earlier(books: ReportBooks, day: date) -> Amounts:
    return Amounts(dict(enumerate(books.earlier(day))))


def closings(books: ReportBooks, columns: ReportColumns) -> list[Amounts]:
    """Give the balances at the close of each column."""
    return [books.closing(day) for day in ends_of(columns)]


def ends_of(columns: ReportColumns) -> list[date]:
    """Give the last day of each column."""
    return [each.last for each in columns.periods]


def _lines(grid: Grid, rows: Rows, sign: int = 1) -> list[ReportLine]:
    found = [(account, grid.sums(row)) for account, row in rows]
    return [
        ReportLine(*facts_of(account), of.amount, of.before, of.months, of.year_to_date, of.parts)
        for account, sums in found
        for of in [sums if sign > 0 else -sums]
    ]


def facts_of(account: ReportAccount) -> tuple[int | None, str | None, str, str, bool, str]:
    """Give what a line has of its account."""
    return account.account_id, account.code, account.name, account.type, account.in_scope, account.group


def _personal(rows: Rows) -> Sequence[Row]:
    return [row for account, row in rows if not account.in_scope]


def _of(rows: Rows, *types: AccountType) -> Sequence[Row]:
    """Give the rows of accounts of some types, or all."""
    return [row for account, row in rows if not types or account.type in types]
