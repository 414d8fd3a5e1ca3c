"""The closing balances of the last days, for the small picture beside an account."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import LineDaySum

DAYS = 90


def balances(organization_id: str, as_of: date, balance_on_day: Mapping[int, int]) -> dict[int, list[int]]:
    """Give each feed account's closing balances of 90 days in minor units, oldest first, back from those on a day.

    An account whose bank states no balance has none.
    """
    first = as_of - timedelta(days=DAYS - 1)
    rows = db.session.execute(
        sa.select(LineDaySum.feed_account_id, LineDaySum.day, LineDaySum.amount_minor).where(
            LineDaySum.organization_id == organization_id,
            LineDaySum.feed_account_id.in_(balance_on_day),
            LineDaySum.day > first,
            LineDaySum.day <= as_of,
        )
    )
    moved = {(fa_id, day): amount for fa_id, day, amount in rows}
    return {fa_id: _back(fa_id, closing, as_of, moved) for fa_id, closing in balance_on_day.items()}


def _back(fa_id: int, closing: int, as_of: date, moved: Mapping[tuple[int, date], int]) -> list[int]:
    days = [closing]
    for age in range(DAYS - 1):
        days.append(days[-1] - moved.get((fa_id, as_of - timedelta(days=age)), 0))
    return days[::-1]
