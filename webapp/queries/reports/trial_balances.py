"""The trial balance: opening, movements and closing of every account, and of its parts."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money, total
from webapp.ledger.report_columns import ReportColumns
from webapp.models import COUNTING, JournalEntry, Posting, refers_to
from webapp.queries.common.selections import postings_of
from webapp.queries.reports.books import Amounts, ReportAccount, ReportBooks
from webapp.queries.reports.figures import Grid, Minors, Row, placed
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

    `debited` and `credited` are what the period put on each side, where it is asked for.
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
    debited: Money | None
    credited: Money | None


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


def trial_balance(organization_id: str, columns: ReportColumns, *, turnovers: bool = False) -> TrialBalance:
    """Give the opening, change, carry and closing of every account that has any."""
    columns = replace(columns, year_to_date=None)
    period = columns.period
    sides = _turnovers(organization_id, columns) if turnovers else None
    days, chosen = [period.eve, *ends_of(columns)], (columns.selection, columns.by)
    books = ReportBooks(organization_id, days, *chosen, unadjusted_on=columns.unadjusted_on)
    grid = Grid(books, columns, lambda each: _moves_and_closings(each, columns))
    rows = [(each, grid.row_of(each)) for each in books.accounts]
    closed: Counter[int | None] = Counter()
    for leg in books.closings:
        if period.first <= leg.day <= period.last:
            closed[leg.account_id] += leg.base_minor
    lines = [
        _with_sides(_line(account, row, books, columns, Money(closed[account.id], books.base)), sides)
        for account, row in rows
        if row.has_any or closed[account.id] or (sides and account.id in sides)
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
    return TrialLine(*facts_of(account), opening, change, carry, closing, *beside, closed, None, None)


def _with_sides(line: TrialLine, sides: Mapping[int | None, tuple[int, int]] | None) -> TrialLine:
    if sides is None:
        return line
    debited, credited = (Money(each, line.closing.currency) for each in sides.get(line.account_id, (0, 0)))
    return replace(line, debited=debited, credited=credited)


def _turnovers(organization_id: str, columns: ReportColumns) -> dict[int | None, tuple[int, int]]:
    """Add up what a period debits and credits each account of what is selected."""
    amount, period = Posting.amount_base_minor, columns.period
    rows = db.session.execute(
        sa.select(
            Posting.account_id,
            sa.func.sum(sa.case((amount > 0, amount), else_=0)),
            sa.func.sum(sa.case((amount < 0, -amount), else_=0)),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on.between(period.first, period.last),
            *(postings_of(organization_id, columns.selection) if columns.selection else ()),
            *((sa.not_(JournalEntry.is_adjusting),) if columns.unadjusted_on else ()),
        )
        .group_by(Posting.account_id)
    )
    return {account_id: (int(debit or 0), int(credit or 0)) for account_id, debit, credit in rows}


def _figures(
    minors: Minors, base: str, columns: ReportColumns
) -> tuple[Money, Money, Money, Money, Money | None, tuple[Money, ...] | None]:
    """Put amounts in their places; the carry is what opening and change leave of the closing."""
    opening, change = minors[:MOVES]
    closing, before, months, _ = placed(minors[MOVES:], base, columns)
    moves = (Money(opening, base), Money(change, base), Money(closing.minor - opening - change, base))
    return *moves, closing, before, months
