"""Which rate holds on a day."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import sqlalchemy as sa

from webapp.db import db
from webapp.models import ExchangeRate

LONGEST_AGE_DAYS = 10


def rate_on(organization_id: str, currency: str, base: str, day: date) -> Decimal | None:
    """Give the units of a currency for one unit of base: the last rate at or before the day, at most ten days old."""
    if currency == base:
        return Decimal(1)
    return db.session.scalar(
        sa.select(ExchangeRate.units_per_base)
        .where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.currency == currency,
            ExchangeRate.day <= day,
            ExchangeRate.day >= day - timedelta(days=LONGEST_AGE_DAYS),
        )
        .order_by(ExchangeRate.day.desc())
        .limit(1)
    )
