"""Tax rates: units of a currency for one unit of base, by days or by months."""

from collections.abc import Collection
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.rates import MAX_AGE_DAYS
from webapp.models import TaxRate
from webapp.queries.common.paging import Order, Page, page

NEWEST: Final = Order((TaxRate.day, TaxRate.id))  # type: ignore[arg-type]


def on(organization_id: str, currency: str, tax_point: date) -> Decimal | None:
    """Find the rate of a tax point: of its day, else of its month, else of a day at most ten days before."""
    is_day = TaxRate.day == TaxRate.last_day
    return db.session.scalar(
        sa.select(TaxRate.units_per_base)
        .where(
            TaxRate.organization_id == organization_id,
            TaxRate.currency == currency,
            TaxRate.day <= tax_point,
            sa.or_(
                TaxRate.last_day >= tax_point,
                sa.and_(is_day, TaxRate.day >= tax_point - timedelta(days=MAX_AGE_DAYS)),
            ),
        )
        .order_by(
            sa.case((TaxRate.day == tax_point, 0), (TaxRate.last_day >= tax_point, 1), else_=2),
            TaxRate.day.desc(),
        )
        .limit(1)
    )


def listed(
    organization_id: str,
    *,
    currency: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[TaxRate]:
    """List tax rates, newest first; days are inclusive."""
    statement = sa.select(TaxRate).where(TaxRate.organization_id == organization_id)
    if currency is not None:
        statement = statement.where(TaxRate.currency == currency)
    if from_ is not None:
        statement = statement.where(TaxRate.last_day >= from_)
    if to is not None:
        statement = statement.where(TaxRate.day <= to)
    return page(statement, NEWEST, after=after, limit=limit)


def stored(organization_id: str, currencies: Collection[str]) -> dict[tuple[str, date, date], TaxRate]:
    """Find the rates of some currencies by currency, first and last day."""
    found = db.session.scalars(
        sa.select(TaxRate).where(TaxRate.organization_id == organization_id, TaxRate.currency.in_(currencies))
    )
    return {(each.currency, each.day, each.last_day): each for each in found}
