"""The period of a report from the query of a request."""

from __future__ import annotations

from datetime import date

from webapp.ledger.periods import Period, year_to
from webapp.queries.access import organizations
from webapp.web.access import requests
from webapp.web.access.auth import organization_id


def report_period(from_: date | None, to: date | None) -> Period:
    """The period between two days; by default it ends today, and begins with the year."""
    today = organizations.today(organization_id(), requests.now())
    last = to or (max(today, from_) if from_ else today)
    return Period(from_, last) if from_ else year_to(last)
