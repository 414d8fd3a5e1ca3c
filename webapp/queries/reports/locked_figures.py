"""The figures of locked days as reports present them, to be compared before and after an act that could move one."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import Dimension
from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.models import COUNTING, JournalEntry, Posting, refers_to
from webapp.queries.access import organizations
from webapp.queries.currencies import revaluation_verdicts
from webapp.queries.currencies.revaluation_verdicts import RevaluationState
from webapp.queries.items import ageing
from webapp.queries.reports import statements

# Every column of what reports present, by its table: whether a report of a day reads it. A test fails for a new one.
READ: Final[Mapping[str, Mapping[str, bool]]] = {
    "accounts": {
        "type": True,
        "in_scope": True,
        "parent_id": True,
        "keeps_items": True,
        "items_from": True,
        "is_revalued": True,
        "role": True,
        "code": False,
        "name": False,
        "emoji": False,
        "currency": False,
        "requires_counterparty": False,
        "is_watched": False,
        "is_archived": False,
    },
    "merchants": {
        "merged_into_id": True,
        "merged_through_id": False,
        "name": False,
        "website": False,
        "terms_days": False,
        "vat_ids": False,
        "ibans": False,
        "image_url": False,
        "logo": False,
    },
    "projects": {"group_id": True, "name": False, "emoji": False},
    "project_groups": {"name": False, "emoji": False},
    "exchange_rates": {"units_per_base": True, "day": True, "currency": True, "source": False},
}
# Of longer ago only the ends of years are aged, which take a statement each.
MOST_AGED: Final = 24


@dataclass(frozen=True, slots=True)
class LockedFigure:
    """A figure of a report: which one, at the close of which day or up to it, and what it is of."""

    report: str
    day: date
    label: str

    def __str__(self) -> str:
        return f"{self.report} of {self.day:%-d %b %Y}, {self.label}"


Figures = Mapping[LockedFigure, str | None]


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure that an act moves."""

    figure: LockedFigure
    before: str
    after: str


def figures(organization_id: str, lock_date: date, by: Dimension | None = None) -> Figures:
    """Read all figures of locked days, those that say most first; `by` has the parts of a dimension besides."""
    first = _first_day(organization_id)
    if first is None or first > lock_date:
        return {}
    found: dict[LockedFigure, str | None] = {}
    year = Period(max(first, organizations.financial_years(organization_id).start_of(lock_date)), lock_date)
    whole = Period(first, lock_date)
    for columns in (ReportColumns(year), ReportColumns(whole, months=tuple(whole.months))):
        found |= _result(organization_id, columns)
        found |= _sheet(organization_id, columns)
    if by is not None:
        found |= _result(organization_id, ReportColumns(whole, by=by))
    ends = [each.last for each in whole.months][::-1]
    for day in [*ends[:MOST_AGED], *(each for each in ends[MOST_AGED:] if each.month == lock_date.month)]:
        found |= _aged(organization_id, day)
    return {**found, **revalued(organization_id, lock_date, [lock_date])}


def revalued(organization_id: str, lock_date: date, days: Collection[date]) -> Figures:
    """Read what revaluations of locked days are off by: of those that stand, and of some days."""
    organization = organizations.get(organization_id)
    standing = revaluation_verdicts.standing_days(organization_id, date.min, most=10_000)
    found: dict[LockedFigure, str | None] = {}
    for day in sorted({*days, *(each for each in standing if each <= lock_date)}):
        verdict = revaluation_verdicts.of_day(organization, day)
        is_known = verdict.state is not RevaluationState.RATE_MISSING
        warning = verdict.warning
        text = "0" if warning is None else str(warning.difference)
        found[LockedFigure("Balance sheet", day, "what revaluation misses")] = text if is_known else None
    return found


def moved(before: Figures, after: Figures) -> Moved | None:
    """Find the first figure that differs; where a rate was missing there was none."""
    for figure in (*before, *(each for each in after if each not in before)):
        old, new = before.get(figure, "0.00"), after.get(figure, "0.00")
        if old != new and old is not None:
            return Moved(figure, old, new or "unknown")
    return None


def _first_day(organization_id: str) -> date | None:
    return db.session.scalar(
        sa.select(sa.func.min(JournalEntry.effective_on)).where(
            JournalEntry.organization_id == organization_id, JournalEntry.status.in_(COUNTING)
        )
    )


def has_postings(organization_id: str, lock_date: date, *conditions: sa.ColumnElement[bool]) -> bool:
    """Return whether any posting that meets conditions counts on a locked day."""
    statement = (
        sa.select(Posting.id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on <= lock_date,
            *conditions,
        )
        .limit(1)
    )
    return db.session.scalar(statement) is not None


def _result(organization_id: str, columns: ReportColumns) -> Figures:
    report = statements.profit_and_loss(organization_id, columns)
    totals = {"result": report.result, "income": report.income, "expenses": report.expenses}
    return dict(_of_report("Profit and loss", columns, {**totals, "personal": report.personal}, report.lines))


def _sheet(organization_id: str, columns: ReportColumns) -> Figures:
    report = statements.balance_sheet(organization_id, columns)
    totals = {"assets": report.assets, "liabilities": report.liabilities, "equity": report.equity}
    totals |= {"result of the year": report.result_of_year, "earlier results": report.earlier_results}
    return dict(_of_report("Balance sheet", columns, totals, report.lines))


def _of_report(
    name: str, columns: ReportColumns, totals: Mapping[str, Any], lines: Collection[Any]
) -> Iterator[tuple[LockedFigure, str]]:
    # A line is presented by its account, the type and the scope; its name is no figure.
    rows = [(label, sums) for label, sums in totals.items()]
    rows += [
        (f"account {each.account_id or each.name} ({each.type}{'' if each.in_scope else ', personal'})", each)
        for each in lines
    ]
    for label, sums in rows:
        for period, amount in zip(
            (columns.period, *(columns.months or ())), (sums.amount, *(sums.months or ())), strict=True
        ):
            if amount:
                yield LockedFigure(name, period.last, label), str(amount)
        for part in sums.parts or ():
            yield LockedFigure(name, columns.period.last, f"{label} of {part.id}"), str(part.amount)


def _aged(organization_id: str, day: date) -> Figures:
    found: dict[LockedFigure, str | None] = {}
    for side, name in ((OwedSide.RECEIVABLES, "Aged receivables"), (OwedSide.PAYABLES, "Aged payables")):
        report = ageing.report(organization_id, side, day)
        found[LockedFigure(name, day, "total")] = str(report.total_base)
        for party in report.parties:
            for row in party.rows:
                found |= {
                    LockedFigure(name, day, f"party {party.id}, {row.currency}, {age}"): str(amount)
                    for age, amount in row.amounts.items()
                    if amount
                }
    return found


def rate_days(lock_date: date, days: Collection[date], current_for: int) -> list[date]:
    """List the ends of months, and the lock date, whose rate may be one of these days'."""
    ends = {lock_date}
    for day in days:
        later = {day + timedelta(days=step) for step in range(current_for + 1)}
        ends |= {each for each in later if (each + timedelta(days=1)).day == 1 and each <= lock_date}
    return sorted(ends)[-MOST_AGED:]
