"""The period that a request asks a report for."""

from __future__ import annotations

from datetime import date

from webapp.ledger.periods import Period, year_to
from webapp.queries.access import organizations
from webapp.web.access import requests
from webapp.web.access.auth import organization_id


def report_period(from_: date | None, to: date | None) -> Period:
    """Give the period between two days; without an end it ends today, without a beginning it begins with that year."""
    today = organizations.today(organization_id(), requests.now())
    last = to or (max(today, from_) if from_ else today)
    return Period(from_, last) if from_ else year_to(last)
