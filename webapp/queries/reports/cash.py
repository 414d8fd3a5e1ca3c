"""Cash: what the bank accounts and cards come to by the books, at the close of each day of a period."""

from __future__ import annotations

from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import FeedAccount
from webapp.queries.access import organizations
from webapp.queries.accounts import balances


def by_day(organization_id: str, period: Period) -> dict[date, Money]:
    """Give the sum of the active feed accounts' balances in the base currency, by day, in the order of days."""
    ids = db.session.scalars(
        sa.select(FeedAccount.account_id).where(
            FeedAccount.organization_id == organization_id, FeedAccount.is_active
        )
    ).all()
    base = organizations.get(organization_id).base_currency
    found = balances.by_day(organization_id, ids, period)
    return {day: Money(balance.amount_base_minor, base) for day, balance in found.items()}
