"""The first month of the financial year: a change begins after the last year that is locked, and makes a short year."""

from calendar import month_name
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.financial_years import FinancialYears
from webapp.models import FinancialYear, Organization
from webapp.queries.access import organizations
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act


def change(organization: Organization, first_month: int, *, actor: Actor, now: datetime) -> FinancialYears:
    """Let financial years begin with a month, from the first year on that is not locked; nothing is posted."""
    years = organizations.financial_years(organization.id)
    changed = years.changed(first_month, organization.lock_date)
    since = changed.first_months[-1].since if changed.first_months else None
    title = f"Changed the first month of the financial year to {month_name[first_month]}"
    if since:
        title += f", from {since:%-d %b %Y} on"
    target, payload = ("organization", organization.id), {"firstMonth": first_month}
    with act(actor, now, "change_financial_year", target, title=title, payload=payload) as doing:
        if first_month == years.month:
            doing.nothing_to_do()
            return years
        _store(organization.id, changed)
        doing.before, doing.after = facts(years), facts(changed)
    return changed


def facts(years: FinancialYears) -> dict[str, Any]:
    """Give the first month for the audit trail, with the days on which it changed."""
    since = [{"startsOn": f"{each.starts_on}", "firstMonth": each.month} for each in years.first_months]
    return {"firstMonth": years.month, "firstMonths": since}


def _store(organization_id: str, years: FinancialYears) -> None:
    db.session.execute(sa.delete(FinancialYear).where(FinancialYear.organization_id == organization_id))
    db.session.add_all(
        FinancialYear(organization_id=organization_id, starts_on=each.starts_on, first_month=each.month)
        for each in years.first_months
    )
    db.session.flush()
