"""What the query of a report asks for: its period, its columns and its merchant; and the financial year of today."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from webapp.ledger.dimensions import EVERYTHING, Dimension, DimensionSelection
from webapp.ledger.financial_years import DAY, FinancialYears
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import Adjusting, Comparison, ReportColumns, compared, side_by_side
from webapp.queries.access import organizations
from webapp.queries.common import merchants
from webapp.queries.reports import dimensions
from webapp.web.access.auth import organization_id
from webapp.web.rendering.languages import marked
from webapp.web.rendering.notation import today


@dataclass(frozen=True, slots=True)
class YearOfToday:
    """The financial years of an organization, and the one that today belongs to."""

    years: FinancialYears
    today: Period


def financial_year() -> YearOfToday:
    """Give the financial years of the organization, and that of today."""
    years = organizations.financial_years(organization_id())
    return YearOfToday(years, years.of(today()))


def report_period(from_: date | None, to: date | None) -> Period:
    """The period between two days; by default it ends today, and begins with the financial year."""
    present = today()
    last = to or (max(present, from_) if from_ else present)
    if from_:
        return Period(from_, last)
    return organizations.financial_years(organization_id()).year_to(last)


def report_day(day: date | None) -> date:
    """The day at whose close a report is; by default today."""
    return day or today()


@dataclass(frozen=True, slots=True)
class PeriodChoices:
    """The month, the quarter and the year around a period's last day; `chosen` names the one that it is.

    Of the chosen one, the periods before and after it; `later` none where that is still to come.
    """

    periods: Mapping[str, Period]
    chosen: str | None
    earlier: Period | None
    later: Period | None


def period_choices(period: Period) -> PeriodChoices:
    """Give the month, quarter and financial year that a period is or ends in, and the ones beside it."""
    years = organizations.financial_years(organization_id())
    kinds = {marked("Month"): years.month_of, marked("Quarter"): years.quarter_of, marked("Year"): years.of}
    periods = {name: kind(period.last) for name, kind in kinds.items()}
    chosen = next((name for name, each in periods.items() if each == period), None)
    if chosen is None:
        return PeriodChoices(periods, None, None, None)
    later = kinds[chosen](period.last + DAY)
    return PeriodChoices(
        periods, chosen, kinds[chosen](period.eve), later if later.first <= today() else None
    )


def report_columns(query: Mapping[str, Any]) -> ReportColumns:
    """Give the columns of a report: its period, the one that it is compared with, its months; and what counts."""
    period = report_period(query["from_"], query["to"])
    if query["compare_from"]:
        beside: Period | None = Period(query["compare_from"], query["compare_to"])
    else:
        beside = compared(period, Comparison(query["compare_with"] or Comparison.PREVIOUS_PERIOD))
    months = side_by_side(period) if query["months"] else None
    year = None
    if query.get("year_to_date"):
        year = organizations.financial_years(organization_id()).year_to(period.last)
    chosen, by = (selection(query), grouping(query)) if "group_by" in query else (EVERYTHING, None)
    adjusting = Adjusting(query.get("adjusting") or Adjusting.WITH)
    return ReportColumns(period, beside, months, chosen, by, year, adjusting)


def grouping(query: Mapping[str, Any]) -> Dimension | None:
    """Give what a query groups a report by, or None."""
    return Dimension(query["group_by"]) if query["group_by"] else None


def selection(query: Mapping[str, Any]) -> DimensionSelection:
    """Give the postings that a query selects, or all; raise UnknownReferenceError where it names what is not there."""
    chosen = DimensionSelection(query["project_id"], query["project_group_id"], query["org_merchant_id"])
    dimensions.names(organization_id(), chosen)
    return chosen


def with_counting_merchant(query: Mapping[str, Any]) -> dict[str, Any]:
    """Give a query with the merchant that counts for the one that it asks for, which may be merged since."""
    merchant_id = merchants.counting_id(organization_id(), query["org_merchant_id"])
    return {**query, "org_merchant_id": merchant_id}
