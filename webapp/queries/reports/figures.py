"""The figures of a report: of its period, of what that is compared with, of its months, and of their parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money
from webapp.ledger.report_columns import ReportColumns
from webapp.queries.reports.books import Amounts, ReportAccount, ReportBooks

Minors = Sequence[int]
Placed = tuple[Money, Money | None, tuple[Money, ...] | None, Money | None]


@dataclass(frozen=True, slots=True)
class ReportFigures:
    """Figures that belong together: of the period, the one beside it, its months, and its year up to its end."""

    amount: Money
    before: Money | None
    months: tuple[Money, ...] | None
    year_to_date: Money | None

    def __neg__(self) -> Self:
        return type(self)(*self._negated())

    def _negated(self) -> Placed:
        months = None if self.months is None else tuple(-each for each in self.months)
        before, year = (None if each is None else -each for each in (self.before, self.year_to_date))
        return -self.amount, before, months, year


@dataclass(frozen=True, slots=True)
class PartFigures:
    """Figures of a project, group or merchant; without an id, of what is posted to none."""

    id: int | None
    name: str | None
    amount: Money
    before: Money | None
    months: tuple[Money, ...] | None
    year_to_date: Money | None

    def __neg__(self) -> Self:
        negated = -ReportFigures(self.amount, self.before, self.months, self.year_to_date)
        return type(self)(
            self.id, self.name, negated.amount, negated.before, negated.months, negated.year_to_date
        )


@dataclass(frozen=True, slots=True)
class Sums(ReportFigures):
    """Figures with their parts, where the report is grouped."""

    parts: tuple[PartFigures, ...] | None

    def __neg__(self) -> Self:
        parts = None if self.parts is None else tuple(-each for each in self.parts)
        return type(self)(*self._negated(), parts)


@dataclass(frozen=True, slots=True)
class Row:
    """An amount for each column, in minor units, and the same of each part."""

    whole: Minors
    parts: Sequence[Minors] = ()

    @property
    def has_any(self) -> bool:
        """Tell whether there is an amount in any column, of the whole or of a part."""
        return any(self.whole) or any(map(any, self.parts))

    def signed(self, sign: int) -> Minors:
        """Give the amounts of the whole, or what they are as credits."""
        return [sign * minor for minor in self.whole]

    def less(self, other: Row) -> Row:
        """Take another row from it, column by column."""
        pairs = zip((self.whole, *self.parts), (other.whole, *other.parts), strict=True)
        whole, *parts = [[one - two for one, two in zip(*each, strict=True)] for each in pairs]
        return Row(whole, parts)


class Grid:
    """Accounts down, columns across: the balances or changes of books, and those of their parts."""

    def __init__(
        self, books: ReportBooks, columns: ReportColumns, amounts: Callable[[ReportBooks], Sequence[Amounts]]
    ) -> None:
        self._books, self._columns = books, columns
        self._whole = amounts(books)
        self._parts = [amounts(part.books) for part in books.parts]

    def rows(self, types: Iterable[AccountType]) -> list[tuple[ReportAccount, Row]]:
        """Give the accounts of some types that have anything in any column, by type and code."""
        found = [
            (each, self.row_of(each))
            for type_ in types
            for each in self._books.accounts
            if each.type == type_
        ]
        return [(account, row) for account, row in found if row.has_any]

    def row_of(self, account: ReportAccount) -> Row:
        """Read the amounts of an account in each column."""
        return self.row(lambda amounts: amounts[account.id])

    def row(self, figure: Callable[[Amounts], int]) -> Row:
        """Read a figure in each column."""
        parts = [[figure(column) for column in part] for part in self._parts]
        return Row([figure(column) for column in self._whole], parts)

    def total(self, rows: Iterable[Row]) -> Sums:
        """Add up rows, column by column and part by part."""
        return self.sums(self.added(rows))

    def added(self, rows: Iterable[Row]) -> Row:
        """Add up rows to one."""
        found = list(rows)
        parts = [
            _added((row.parts[number] for row in found), self._width) for number in range(len(self._parts))
        ]
        return Row(_added((row.whole for row in found), self._width), parts)

    @property
    def _width(self) -> int:
        return len(self._columns.periods)

    def sums(self, row: Row) -> Sums:
        """Put the amounts of a row in their places; parts without any are left out."""
        if self._columns.by is None:
            return Sums(*self._placed(row.whole), None)
        parts = tuple(
            PartFigures(part.id, part.name, *self._placed(minors))
            for part, minors in zip(self._books.parts, row.parts, strict=True)
            if any(minors)
        )
        return Sums(*self._placed(row.whole), parts)

    def _placed(self, minors: Minors) -> Placed:
        return placed(minors, self._books.base, self._columns)


def placed(minors: Minors, base: str, columns: ReportColumns) -> Placed:
    """Put the amounts of a row in the places of the columns."""
    amount, *others = (Money(minor, base) for minor in minors)
    before = others.pop(0) if columns.compared_with else None
    year = others.pop() if columns.year_to_date else None
    return amount, before, None if columns.months is None else tuple(others), year


def _added(rows: Iterable[Minors], width: int) -> list[int]:
    return [sum(each) for each in zip(*rows, strict=True)] or [0] * width
