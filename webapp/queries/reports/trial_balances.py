"""The trial balance: opening, movements and closing of every account, and of its parts."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from webapp.ledger.money import Money, total
from webapp.ledger.report_columns import ReportColumns
from webapp.queries.reports.books import Amounts, ReportAccount, ReportBooks
from webapp.queries.reports.figures import Grid, Minors, Row
from webapp.queries.reports.statements import AccountLine, closings, ends_of, facts_of


class _OnASide:
    """A closing that stands on its side: a debit is above zero."""

    __slots__ = ()
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
class TrialFigures(_OnASide):
    """Opening, change and carry, which make the closing; `before` and `months` are closings too."""

    opening: Money
    change: Money
    carry: Money
    closing: Money
    before: Money | None
    months: tuple[Money, ...] | None


@dataclass(frozen=True, slots=True)
class TrialPart(TrialFigures):
    """The same of a project, group or merchant; without an id, of what is posted to none."""

    id: int | None
    name: str | None


@dataclass(frozen=True, slots=True)
class TrialLine(AccountLine, _OnASide):
    """An account in a trial balance, with its parts where the report is grouped, without nil ones.

    `closed` is what closing entries posted to it, which its change is without: of a result it is in that of retained
    earnings.
    """

    opening: Money
    change: Money
    carry: Money
    closing: Money
    before: Money | None
    months: tuple[Money, ...] | None
    parts: tuple[TrialPart, ...] | None
    closed: Money


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """All accounts with their balances; debits and credits are equal, or the books are broken."""

    base_currency: str
    columns: ReportColumns
    lines: list[TrialLine]
    debit: Money
    credit: Money

    @property
    def has_carries(self) -> bool:
        """Tell whether anything is carried within the period, of an account or of a part."""
        carries = [
            carry for line in self.lines for carry in (line.carry, *(p.carry for p in line.parts or ()))
        ]
        return any(carries)

    @property
    def has_closings(self) -> bool:
        """Tell whether a closing entry is within the period."""
        return any(line.closed for line in self.lines)


# Opening and change stand in two columns before the closings.
MOVES: Final = 2


def trial_balance(organization_id: str, columns: ReportColumns) -> TrialBalance:
    """Give the opening, change, carry and closing of every account that has any."""
    period = columns.period
    books = ReportBooks(organization_id, [period.eve, *ends_of(columns)], columns.selection, columns.by)
    grid = Grid(books, columns, lambda each: _moves_and_closings(each, columns))
    rows = [(each, grid.row_of(each)) for each in books.accounts]
    closed: Counter[int | None] = Counter()
    for leg in books.closings:
        if period.first <= leg.day <= period.last:
            closed[leg.account_id] += leg.base_minor
    lines = [
        _line(account, row, books, columns, Money(closed[account.id], books.base))
        for account, row in rows
        if row.has_any or closed[account.id]
    ]
    debit = total((line.debit for line in lines if line.debit), books.base)
    credit = total((line.credit for line in lines if line.credit), books.base)
    return TrialBalance(books.base, columns, lines, debit, credit)


def _moves_and_closings(books: ReportBooks, columns: ReportColumns) -> list[Amounts]:
    period = columns.period
    return [books.opening(period.first), books.change(period), *closings(books, columns)]


def _line(
    account: ReportAccount, row: Row, books: ReportBooks, columns: ReportColumns, closed: Money
) -> TrialLine:
    parts = tuple(
        TrialPart(*_figures(minors, books.base, columns), part.id, part.name)
        for part, minors in zip(books.parts, row.parts, strict=True)
        if any(minors)
    )
    opening, change, carry, closing, before, months = _figures(row.whole, books.base, columns)
    beside = (before, months, parts if columns.by else None)
    return TrialLine(*facts_of(account), opening, change, carry, closing, *beside, closed)


def _figures(
    minors: Minors, base: str, columns: ReportColumns
) -> tuple[Money, Money, Money, Money, Money | None, tuple[Money, ...] | None]:
    """Put amounts in their places; the carry is what opening and change leave of the closing."""
    (opening, change), (closing, *others) = minors[:MOVES], [Money(each, base) for each in minors[MOVES:]]
    before = others.pop(0) if columns.compared_with else None
    moves = (Money(opening, base), Money(change, base), Money(closing.minor - opening - change, base))
    return *moves, closing, before, None if columns.months is None else tuple(others)
