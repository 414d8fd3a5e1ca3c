"""The exchange rates of a currency over some time, for many lines at once."""

from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.rates import MAX_AGE_DAYS, is_current
from webapp.models import ExchangeRate


@dataclass(frozen=True, slots=True)
class RateTable:
    """The rates of one currency by day, the earliest first; `always` is the rate of every day."""

    days: tuple[date, ...] = ()
    rates: tuple[Decimal, ...] = ()
    always: Decimal | None = None

    def on(self, day: date) -> Decimal | None:
        """Give the last rate at or before a day, at most ten days old.

        >>> table = RateTable((date(2026, 3, 2), date(2026, 3, 9)), (Decimal("1.08"), Decimal("1.09")))
        >>> [table.on(date(2026, 3, day)) for day in (1, 2, 8, 19, 20)]
        [None, Decimal('1.08'), Decimal('1.08'), Decimal('1.09'), None]
        """
        if self.always is not None:
            return self.always
        place = bisect_right(self.days, day) - 1
        return self.rates[place] if place >= 0 and is_current(self.days[place], day) else None


def between(organization_id: str, currency: str, base: str, first: date, last: date) -> RateTable:
    """Read the rates for the days from one to another: units of a currency for one unit of base."""
    if currency == base:
        return RateTable(always=Decimal(1))
    rows = db.session.execute(
        sa.select(ExchangeRate.day, ExchangeRate.units_per_base)
        .where(
            ExchangeRate.organization_id == organization_id,
            ExchangeRate.currency == currency,
            ExchangeRate.day.between(first - timedelta(days=MAX_AGE_DAYS), last),
        )
        .order_by(ExchangeRate.day)
    ).all()
    return RateTable(tuple(row.day for row in rows), tuple(row.units_per_base for row in rows))
