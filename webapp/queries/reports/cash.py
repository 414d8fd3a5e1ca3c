"""Cash: what the bank accounts and cards come to by the books, at the close of each day of a period."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import DaySum, FeedAccount
from webapp.queries.access import organizations
from webapp.queries.accounts import balances


def by_day(organization_id: str, period: Period) -> dict[date, Money]:
    """Give the sum of the active feed accounts' balances in the base currency, by day, in the order of days."""
    ids = db.session.scalars(
        sa.select(FeedAccount.account_id).where(
            FeedAccount.organization_id == organization_id, FeedAccount.is_active
        )
    ).all()
    before = balances.of_accounts(organization_id, ids, through=period.eve)
    running = sum(balance.amount_base_minor for balance in before.values())
    moved = _moved(organization_id, ids, period)
    base = organizations.get(organization_id).base_currency
    found = {}
    for age in range((period.last - period.first).days + 1):
        day = period.first + timedelta(days=age)
        running += moved.get(day, 0)
        found[day] = Money(running, base)
    return found


def _moved(organization_id: str, account_ids: Sequence[int], period: Period) -> dict[date, int]:
    rows = db.session.execute(
        sa.select(DaySum.day, sa.func.sum(DaySum.amount_base_minor))
        .where(
            DaySum.organization_id == organization_id,
            DaySum.account_id.in_(account_ids),
            DaySum.day.between(period.first, period.last),
        )
        .group_by(DaySum.day)
    )
    return {day: int(amount) for day, amount in rows}
