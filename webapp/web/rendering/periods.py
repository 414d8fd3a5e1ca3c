"""The period of a report from the query of a request, and the financial year of today."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from webapp.ledger.financial_years import FinancialYears
from webapp.ledger.periods import Period
from webapp.queries.access import organizations
from webapp.web.access import requests
from webapp.web.access.auth import organization_id


@dataclass(frozen=True, slots=True)
class YearOfToday:
    """The financial years of an organization, and the one that today belongs to."""

    years: FinancialYears
    today: Period


def financial_year() -> YearOfToday:
    """Give the financial years of the organization, and that of today."""
    years = organizations.financial_years(organization_id())
    return YearOfToday(years, years.of(organizations.today(organization_id(), requests.now())))


def report_period(from_: date | None, to: date | None) -> Period:
    """The period between two days; by default it ends today, and begins with the financial year."""
    today = organizations.today(organization_id(), requests.now())
    last = to or (max(today, from_) if from_ else today)
    if from_:
        return Period(from_, last)
    return organizations.financial_years(organization_id()).year_to(last)
