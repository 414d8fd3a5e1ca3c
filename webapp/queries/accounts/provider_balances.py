"""The banks' balances of feed accounts at the close of any day, rolled from the stated ones."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import first_of_month
from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.provider_balances import Basis, Snapshot, balance_on, nearest
from webapp.models import FeedAccount, LineDaySum, LineMonthSum, ProviderBalance
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


@dataclass(frozen=True, slots=True)
class ProviderBalanceOnDay:
    """The bank's balance at the close of a day; without an amount where the bank never stated one."""

    amount: Money | None
    currency: str
    as_of: date
    snapshot_date: date | None
    basis: Basis


def on(organization_id: str, currencies: Mapping[int, str], day: date) -> dict[int, ProviderBalanceOnDay]:
    """Give the balances of feed accounts at the close of a day, rolled from the nearest snapshot of each."""
    stated: dict[int, list[Snapshot]] = {}
    moved: dict[int, list[tuple[date, int]]] = {}
    rows = db.session.execute(*_nearest(organization_id, list(currencies), day))
    for fa_id, on_day, amount, stated_at, received_at, between in rows:
        snapshot = Snapshot(on_day, amount, stated_at, received_at)
        stated.setdefault(fa_id, []).append(snapshot)
        # What moved between both days is one sum, and stands under the later of them.
        moved[fa_id] = [(max(day, snapshot.day), int(between))]
    found = {}
    for fa_id, currency in currencies.items():
        balance = balance_on(day, stated.get(fa_id, []), moved.get(fa_id, []))
        amount = None if balance.amount_minor is None else Money(balance.amount_minor, currency)
        found[fa_id] = ProviderBalanceOnDay(
            amount, currency, balance.as_of, balance.snapshot_date, balance.basis
        )
    return found


def by_day(
    organization_id: str, currencies: Mapping[int, str], days: Collection[date]
) -> dict[date, dict[int, Money]]:
    """Give the balances of feed accounts at the close of some days, as `on` gives those of one.

    A day before the first of their lines and statements is left out, and on each day an account without a statement.
    """
    stated: dict[int, list[Snapshot]] = defaultdict(list)
    balance = ProviderBalance
    for fa_id, day, amount, stated_at, received_at in db.session.execute(
        sa.select(
            balance.feed_account_id, balance.day, balance.amount_minor, balance.stated_at, balance.received_at
        )
        .where(balance.organization_id == organization_id, balance.feed_account_id.in_(currencies))
        .order_by(balance.id)
    ):
        stated[fa_id].append(Snapshot(day, amount, stated_at, received_at))
    moved = _moved(organization_id, stated, days)
    known = _first_day(organization_id, currencies, (each.day for some in stated.values() for each in some))
    found: dict[date, dict[int, Money]] = {}
    for day in days:
        if known is not None and day >= known:
            rolled = {fa_id: balance_on(day, some, moved[fa_id]) for fa_id, some in stated.items()}
            found[day] = {
                fa_id: Money(each.amount_minor, currencies[fa_id])
                for fa_id, each in rolled.items()
                if each.amount_minor is not None
            }
    return found


def _moved(
    organization_id: str, stated: Mapping[int, Collection[Snapshot]], days: Collection[date]
) -> dict[int, list[tuple[date, int]]]:
    """Read what lines come to by day, between some days and the nearest statement of each."""
    near = [nearest(day, list(some)) for some in stated.values() for day in days]
    ends = {*days, *(each.day for each in near if each is not None)}
    found: dict[int, list[tuple[date, int]]] = defaultdict(list)
    if ends:
        for fa_id, day, amount in db.session.execute(
            sa.select(LineDaySum.feed_account_id, LineDaySum.day, LineDaySum.amount_minor).where(
                LineDaySum.organization_id == organization_id,
                LineDaySum.feed_account_id.in_(stated),
                LineDaySum.day.between(min(ends), max(ends)),
            )
        ):
            found[fa_id].append((day, amount))
    return found


def _first_day(organization_id: str, ids: Collection[int], stated: Iterable[date]) -> date | None:
    """Find the first day of which a line or a statement tells."""
    first = db.session.scalar(
        sa.select(sa.func.min(LineDaySum.day)).where(
            LineDaySum.organization_id == organization_id, LineDaySum.feed_account_id.in_(ids)
        )
    )
    return min((day for day in (first, *stated) if day is not None), default=None)


@made_once
def _nearest(organization_id: str, ids: Collection[int], day: date) -> Any:
    """Find the statements of each feed account for the nearest day, with what lines come to between that day and this.

    That is the months between the months of both, and the days of the later one's month, without those of the earlier
    one's that come before. So each reads a few rows of an index, however long the history is.
    """
    spans, balance = _spans(organization_id, ids, day), ProviderBalance
    return (
        sa.select(
            spans.c.id,
            spans.c.day,
            balance.amount_minor,
            balance.stated_at,
            balance.received_at,
            _between(organization_id, spans),
        )
        .join(
            balance,
            sa.and_(
                balance.organization_id == organization_id,
                balance.feed_account_id == spans.c.id,
                balance.day == spans.c.day,
            ),
        )
        .order_by(balance.id)
    )


def _spans(organization_id: Any, ids: Any, day: Any) -> sa.CTE:
    """Select for each feed account the day of its nearest statement, and the earlier and the later of it and a day."""
    stated = orm.aliased(ProviderBalance)

    def found(nearest: Any, within: Any) -> sa.ScalarSelect[Any]:
        of_account = stated.organization_id == organization_id, stated.feed_account_id == FeedAccount.id
        return sa.select(nearest(stated.day)).where(*of_account, within).scalar_subquery()

    days = (
        sa.select(
            FeedAccount.id,
            sa.func.coalesce(
                found(sa.func.min, stated.day >= day), found(sa.func.max, stated.day < day), type_=sa.Date()
            ).label("day"),
        )
        .where(FeedAccount.organization_id == organization_id, among(FeedAccount.id, ids))
        .cte("days")
    )
    return sa.select(
        days.c.id,
        days.c.day,
        sa.case((days.c.day < day, days.c.day), else_=day).label("earlier"),
        sa.case((days.c.day > day, days.c.day), else_=day).label("later"),
    ).cte("spans")


def _between(organization_id: Any, spans: sa.CTE) -> sa.ColumnElement[int]:
    """Add up what lines come to after the earlier day and up to the later one."""

    def moved(part: Any, *within: Any) -> sa.ScalarSelect[int]:
        of_account = part.organization_id == organization_id, part.feed_account_id == spans.c.id
        total = sa.func.coalesce(sa.func.sum(part.amount_minor), 0)
        return sa.select(total).where(*of_account, *within).scalar_subquery()

    earlier_month, later_month = first_of_month(spans.c.earlier), first_of_month(spans.c.later)
    return (
        moved(LineMonthSum, LineMonthSum.day >= earlier_month, LineMonthSum.day < later_month)
        + moved(LineDaySum, LineDaySum.day >= later_month, LineDaySum.day <= spans.c.later)
        - moved(LineDaySum, LineDaySum.day >= earlier_month, LineDaySum.day <= spans.c.earlier)
    )
