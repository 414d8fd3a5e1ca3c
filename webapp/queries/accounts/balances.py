"""Balances from kept sums: whole months, then the days of the last month, however long the history is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.periods import Period
from webapp.models import DaySum, LineDaySum, LineMonthSum, MonthSum
from webapp.sql_functions import first_of_month


@dataclass(frozen=True, slots=True)
class Balance:
    """The balance of an account in minor units; `amount_minor` has a meaning only where there is one currency."""

    amount_minor: int
    amount_base_minor: int

    def __add__(self, other: Balance) -> Balance:
        return Balance(
            self.amount_minor + other.amount_minor, self.amount_base_minor + other.amount_base_minor
        )


NOTHING = Balance(0, 0)


def of_accounts(
    organization_id: str, account_ids: Collection[int], *, through: date | None = None
) -> dict[int, Balance]:
    """Give the balances of accounts at the close of a day, or of all time; an account without postings has none."""
    parts = [MonthSum] if through is None else [MonthSum, DaySum]
    sums = sa.union_all(*(_sums(part, organization_id, account_ids, through) for part in parts)).subquery()
    rows = db.session.execute(
        sa.select(
            sums.c.account_id, sa.func.sum(sums.c.amount_minor), sa.func.sum(sums.c.amount_base_minor)
        ).group_by(sums.c.account_id)
    )
    return {account_id: Balance(int(amount), int(base)) for account_id, amount, base in rows}


def by_day(organization_id: str, account_ids: Collection[int], period: Period) -> dict[date, Balance]:
    """Give what accounts come to together at the close of each day of a period, in the order of days."""
    before = of_accounts(organization_id, account_ids, through=period.eve).values()
    running = sum(before, NOTHING)
    moved = _moved(organization_id, account_ids, period)
    found = {}
    for age in range((period.last - period.first).days + 1):
        day = period.first + timedelta(days=age)
        running += moved.get(day, NOTHING)
        found[day] = running
    return found


def _moved(organization_id: str, account_ids: Collection[int], period: Period) -> dict[date, Balance]:
    rows = db.session.execute(
        sa.select(DaySum.day, sa.func.sum(DaySum.amount_minor), sa.func.sum(DaySum.amount_base_minor))
        .where(
            DaySum.organization_id == organization_id,
            DaySum.account_id.in_(account_ids),
            DaySum.day.between(period.first, period.last),
        )
        .group_by(DaySum.day)
    )
    return {day: Balance(int(amount), int(base)) for day, amount, base in rows}


def in_base_currency(organization_id: str, days: Collection[date]) -> dict[date, dict[int, int]]:
    """Give each account's balance in minor units of the base currency at the close of some days, in one statement."""
    wanted = sorted(set(days))
    parts = [_sums_at(part, organization_id, wanted) for part in (MonthSum, DaySum)]
    sums = sa.union_all(*parts).subquery()
    totals = [sa.func.sum(sums.c[f"at_{number}"]) for number in range(len(wanted))]
    rows = db.session.execute(sa.select(sums.c.account_id, *totals).group_by(sums.c.account_id)).all()
    return {day: {row[0]: int(row[number]) for row in rows} for number, day in enumerate(wanted, 1)}


def _sums_at(part: Any, organization_id: str, days: Sequence[date]) -> sa.Select[Any]:
    reached = [_reaches_close(part, day) for day in days]
    columns = [
        sa.func.sum(sa.case((each, part.amount_base_minor), else_=0)).label(f"at_{number}")
        for number, each in enumerate(reached)
    ]
    return (
        sa.select(part.account_id, *columns)
        .where(part.organization_id == organization_id, sa.or_(*reached))
        .group_by(part.account_id)
    )


def _reaches_close(part: Any, day: date) -> sa.ColumnElement[bool]:
    """Build the condition of `reaches` for a day that is a constant; at the end of a month its own sum says all."""
    month, is_month = day.replace(day=1), part is MonthSum
    if (day + timedelta(days=1)).day == 1:
        whole: sa.ColumnElement[bool] = part.day <= month if is_month else sa.false()
        return whole
    within: sa.ColumnElement[bool] = part.day < month if is_month else part.day.between(month, day)
    return within


def _sums(
    part: Any, organization_id: str, account_ids: Collection[int], through: date | None
) -> sa.Select[Any]:
    found = sa.select(part.account_id, part.amount_minor, part.amount_base_minor).where(
        part.organization_id == organization_id, part.account_id.in_(account_ids)
    )
    return found if through is None else found.where(reaches(part, sa.literal(through, sa.Date)))


def reaches(part: Any, day: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a kept sum is part of the balance at the close of a day.

    Month sums count before that day's month, day sums within it.
    """
    month = first_of_month(day)
    if part in (MonthSum, LineMonthSum):
        before: sa.ColumnElement[bool] = part.day < month
        return before
    within: sa.ColumnElement[bool] = sa.and_(part.day >= month, part.day <= day)
    return within


def of_lines(organization_id: str, points: sa.Subquery) -> dict[tuple[int, date], int]:
    """Add up the BOOKED and SET_ASIDE lines of feed accounts up to days, in minor units, by account and day.

    `points` has the columns `feed_account_id` and `day`.
    """
    parts = [
        sa.select(points.c.feed_account_id, points.c.day, part.amount_minor)
        .join(
            part,
            sa.and_(part.feed_account_id == points.c.feed_account_id, reaches(part, points.c.day)),
        )
        .where(part.organization_id == organization_id)
        for part in (LineMonthSum, LineDaySum)
    ]
    sums = sa.union_all(*parts).subquery()
    rows = db.session.execute(
        sa.select(sums.c.feed_account_id, sums.c.day, sa.func.sum(sums.c.amount_minor)).group_by(
            sums.c.feed_account_id, sums.c.day
        )
    )
    return {(fa_id, day): int(amount) for fa_id, day, amount in rows}


def unreconciled(organization_id: str, fa_ids: Collection[int]) -> dict[int, int]:
    """Count the BOOKED lines of feed accounts that no standing proof has cleared."""
    rows = db.session.execute(
        sa.select(LineMonthSum.feed_account_id, sa.func.sum(LineMonthSum.unreconciled_count))
        .where(LineMonthSum.organization_id == organization_id, LineMonthSum.feed_account_id.in_(fa_ids))
        .group_by(LineMonthSum.feed_account_id)
    )
    return {fa_id: int(count) for fa_id, count in rows}


def unreconciled_until(organization_id: str, fa_id: int, day: date) -> int:
    """Count the BOOKED lines of a feed account up to a day that no standing proof has cleared."""
    parts = [
        sa.select(sa.func.coalesce(sa.func.sum(part.unreconciled_count), 0))
        .where(part.organization_id == organization_id, part.feed_account_id == fa_id, reaches(part, day))
        .scalar_subquery()
        for part in (LineMonthSum, LineDaySum)
    ]
    return int(db.session.scalar(sa.select(parts[0] + parts[1])) or 0)
