"""Balances from kept sums: whole months, then the days of the last month; cash by day, and the last days of each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from webapp.database.functions import first_of_month
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import DaySum, FeedAccount, LineDaySum, LineMonthSum, MonthSum
from webapp.models.base import table_of
from webapp.queries.access import organizations
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once

DAYS = 90

_LINE_DAYS = table_of(LineDaySum)


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
    ids = list(account_ids)
    rows = (
        db.session.execute(*_of_all_time(organization_id, ids)).all()
        if through is None
        else db.session.execute(*_through(organization_id, ids, through.replace(day=1), through)).all()
    )
    return {account_id: Balance(int(amount), int(base)) for account_id, amount, base in rows}


@made_once
def _of_all_time(organization_id: str, account_ids: Collection[int]) -> sa.Select[Any]:
    return _added(_sums(MonthSum, organization_id, account_ids))


@made_once
def _through(organization_id: str, account_ids: Collection[int], month: date, day: date) -> sa.Select[Any]:
    months = _sums(MonthSum, organization_id, account_ids).where(MonthSum.day < month)
    days = _sums(DaySum, organization_id, account_ids).where(DaySum.day >= month, DaySum.day <= day)
    return _added(sa.union_all(months, days))


def _sums(part: Any, organization_id: str, account_ids: Collection[int]) -> sa.Select[Any]:
    return sa.select(part.account_id, part.amount_minor, part.amount_base_minor).where(
        part.organization_id == organization_id, among(part.account_id, account_ids)
    )


def _added(found: Any) -> sa.Select[Any]:
    sums = found.subquery()
    return sa.select(
        sums.c.account_id, sa.func.sum(sums.c.amount_minor), sa.func.sum(sums.c.amount_base_minor)
    ).group_by(sums.c.account_id)


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
    # Whole months say all of a day at the end of one.
    cut = [number for number, day in enumerate(wanted) if (day + timedelta(days=1)).day > 1]
    values: dict[str, Any] = {"organization_id": organization_id, "last": wanted[-1]}
    for number, day in enumerate(wanted):
        month = day.replace(day=1)
        values[f"before_{number}"] = month if number in cut else day
        if number in cut:
            values |= {f"month_{number}": month, f"day_{number}": day}
    rows = db.session.execute(_at_closes(len(wanted), tuple(cut)), values).all()
    return {day: {row[0]: int(row[number]) for row in rows} for number, day in enumerate(wanted, 1)}


@lru_cache(maxsize=64)
def _at_closes(count: int, cut: tuple[int, ...]) -> sa.Select[Any]:
    """Make the statement for so many days; those that are numbered in `cut` end within a month.

    An account that anything was posted to in a month has a sum of that month, by which the sums of its days are found.
    """
    of_books = MonthSum.organization_id == sa.bindparam("organization_id")
    closes = [
        sa.func.sum(
            sa.case((MonthSum.day < sa.bindparam(f"before_{number}"), MonthSum.amount_base_minor), else_=0)
        ).label(f"at_{number}")
        for number in range(count)
    ]
    months: Any = (
        sa.select(MonthSum.account_id, *closes)
        .where(of_books, MonthSum.day <= sa.bindparam("last"))
        .group_by(MonthSum.account_id)
    )
    parts = [
        sa.select(
            MonthSum.account_id,
            *(_within_month(chosen) if number == chosen else sa.literal(0) for number in range(count)),
        ).where(of_books, MonthSum.day == sa.bindparam(f"month_{chosen}"))
        for chosen in cut
    ]
    sums = sa.union_all(months, *parts).subquery()
    account_id, *at = sums.c
    added = sa.select(account_id, *map(sa.func.sum, at)).group_by(account_id)
    return added.execution_options(is_made_once=True)


def _within_month(number: int) -> sa.ScalarSelect[int | None]:
    """Add up the days of a month's sum up to the day of a number."""
    return (
        sa.select(sa.func.coalesce(sa.func.sum(DaySum.amount_base_minor), 0))
        .where(
            DaySum.organization_id == sa.bindparam("organization_id"),
            DaySum.account_id == MonthSum.account_id,
            DaySum.currency == MonthSum.currency,
            DaySum.day.between(sa.bindparam(f"month_{number}"), sa.bindparam(f"day_{number}")),
        )
        .correlate(MonthSum)
        .scalar_subquery()
    )


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
    return int(db.session.scalar(*_unreconciled_until(organization_id, fa_id, day)) or 0)


@made_once
def _unreconciled_until(organization_id: str, fa_id: int, day: date) -> sa.Select[Any]:
    parts = [
        sa.select(sa.func.coalesce(sa.func.sum(part.unreconciled_count), 0))
        .where(part.organization_id == organization_id, part.feed_account_id == fa_id, reaches(part, day))
        .scalar_subquery()
        for part in (LineMonthSum, LineDaySum)
    ]
    return sa.select(parts[0] + parts[1])


def lines_until(organization_id: str, fa_id: int, day: date) -> int:
    """Add up the lines of a feed account up to a day, confirmed or not, in minor units."""
    parts = [
        sa.select(sa.func.coalesce(sa.func.sum(part.amount_minor), 0))
        .where(part.organization_id == organization_id, part.feed_account_id == fa_id, reaches(part, day))
        .scalar_subquery()
        for part in (LineMonthSum, LineDaySum)
    ]
    return int(db.session.scalar(sa.select(parts[0] + parts[1])) or 0)


def cash_by_day(organization_id: str, period: Period) -> dict[date, Money]:
    """Give the sum of the active feed accounts' balances in the base currency, by day, in the order of days.

    The days before anything is posted to any of them are left out.
    """
    ids = db.session.scalars(
        sa.select(FeedAccount.account_id).where(
            FeedAccount.organization_id == organization_id, FeedAccount.is_active
        )
    ).all()
    base = organizations.get(organization_id).base_currency
    first = first_day(organization_id, ids)
    return {
        day: Money(balance.amount_base_minor, base)
        for day, balance in by_day(organization_id, ids, period).items()
        if first is not None and day >= first
    }


def first_day(organization_id: str, account_ids: Collection[int] | None = None) -> date | None:
    """Find the first day on which anything was posted to some accounts, or to any."""
    statement = sa.select(sa.func.min(DaySum.day)).where(DaySum.organization_id == organization_id)
    if account_ids is not None:
        statement = statement.where(DaySum.account_id.in_(account_ids))
    return db.session.scalar(statement)


def closing_balances(
    organization_id: str, as_of: date, balance_on_day: Mapping[int, int]
) -> dict[int, list[int]]:
    """Give each feed account's closing balances of 90 days in minor units, oldest first, back from those on a day.

    An account whose bank states no balance has none.
    """
    # Between two days with lines a balance stays as it is.
    before = dict(balance_on_day)
    found: dict[int, list[int]] = {fa_id: [] for fa_id in balance_on_day}
    first = as_of - timedelta(days=DAYS - 2)
    rows = db.session.execute(*_moved_lines(organization_id, list(balance_on_day), first, as_of)).all()
    for fa_id, day, amount in reversed(rows):
        newer = found[fa_id]
        newer += [before[fa_id]] * ((as_of - day).days + 1 - len(newer))
        before[fa_id] -= amount
    return {fa_id: [*[before[fa_id]] * (DAYS - len(newer)), *newer[::-1]] for fa_id, newer in found.items()}


@made_once
def _moved_lines(organization_id: str, fa_ids: Collection[int], first: date, last: date) -> sa.Select[Any]:
    columns = _LINE_DAYS.c.feed_account_id, _LINE_DAYS.c.day, _LINE_DAYS.c.amount_minor
    return (
        sa.select(*columns)
        .where(
            _LINE_DAYS.c.organization_id == organization_id,
            _LINE_DAYS.c.feed_account_id.in_(fa_ids),
            _LINE_DAYS.c.day >= first,
            _LINE_DAYS.c.day <= last,
        )
        .order_by(_LINE_DAYS.c.feed_account_id, _LINE_DAYS.c.day)
    )
