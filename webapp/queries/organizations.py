"""Questions about an organization as a whole."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from webapp.db import db
from webapp.models import Organization


def get(organization_id: str) -> Organization:
    """Find the organization that somebody was let into."""
    return db.session.get_one(Organization, organization_id)


def first_open_day(organization_id: str, day: date) -> date:
    """Give the first day at or after this one that is not locked."""
    lock_date = get(organization_id).lock_date
    return day if lock_date is None or day > lock_date else lock_date + timedelta(days=1)


def today(organization_id: str, now: datetime) -> date:
    """Tell which day it is where the organization is."""
    return now.astimezone(ZoneInfo(get(organization_id).time_zone)).date()
