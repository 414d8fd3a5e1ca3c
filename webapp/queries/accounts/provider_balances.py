"""The banks' balances of feed accounts at the close of any day, rolled from the stated ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.ledger.proofs.provider_balances import Basis, Snapshot, balance_on
from webapp.models import ProviderBalance
from webapp.queries.accounts import balances


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
    nearest = (
        sa.select(
            ProviderBalance.feed_account_id,
            sa.func.min(sa.case((ProviderBalance.day >= day, ProviderBalance.day))).label("later"),
            sa.func.max(sa.case((ProviderBalance.day < day, ProviderBalance.day))).label("earlier"),
        )
        .where(
            ProviderBalance.organization_id == organization_id,
            ProviderBalance.feed_account_id.in_(currencies),
        )
        .group_by(ProviderBalance.feed_account_id)
        .subquery()
    )
    nearest_day = sa.func.coalesce(nearest.c.later, nearest.c.earlier)
    snapshots = _snapshots(organization_id, nearest, nearest_day)
    lines = _moved(organization_id, nearest, nearest_day, day)
    found = {}
    for fa_id, currency in currencies.items():
        balance = balance_on(day, snapshots.get(fa_id, []), lines.get(fa_id, []))
        amount = None if balance.amount_minor is None else Money(balance.amount_minor, currency)
        found[fa_id] = ProviderBalanceOnDay(
            amount, currency, balance.as_of, balance.snapshot_date, balance.basis
        )
    return found


def _snapshots(
    organization_id: str, nearest: sa.Subquery, nearest_day: sa.ColumnElement[date]
) -> dict[int, list[Snapshot]]:
    is_nearest = sa.and_(
        nearest.c.feed_account_id == ProviderBalance.feed_account_id, ProviderBalance.day == nearest_day
    )
    rows = db.session.execute(
        sa.select(
            ProviderBalance.feed_account_id,
            ProviderBalance.day,
            ProviderBalance.amount_minor,
            ProviderBalance.stated_at,
            ProviderBalance.received_at,
        )
        .join(nearest, is_nearest)
        .where(ProviderBalance.organization_id == organization_id)
        .order_by(ProviderBalance.id)
    )
    found: dict[int, list[Snapshot]] = {}
    for fa_id, stated_day, amount, stated_at, received_at in rows:
        snapshot = Snapshot(stated_day, amount, stated_at, received_at)
        found.setdefault(fa_id, []).append(snapshot)
    return found


def _moved(
    organization_id: str, nearest: sa.Subquery, nearest_day: sa.ColumnElement[date], day: date
) -> dict[int, list[tuple[date, int]]]:
    """Give by account the sum of its lines between the day and its snapshot, under the later of both days."""
    points = sa.union(
        sa.select(nearest.c.feed_account_id, nearest_day.label("day")),
        sa.select(nearest.c.feed_account_id, sa.literal(day, sa.Date).label("day")),
    ).subquery()
    found: dict[int, list[tuple[date, int]]] = {}
    for (fa_id, point), amount in balances.of_lines(organization_id, points).items():
        found.setdefault(fa_id, []).append((point, amount))
    return {fa_id: _between(sums) for fa_id, sums in found.items()}


def _between(sums: list[tuple[date, int]]) -> list[tuple[date, int]]:
    (_, before), (last, through) = [(date.min, 0), *sorted(sums)][-2:]
    return [(last, through - before)]
