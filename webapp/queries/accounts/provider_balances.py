"""The banks' balances of feed accounts at the close of any day, rolled from the stated ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from webapp.ledger.money import Money
from webapp.ledger.proofs.provider_balances import Basis, Snapshot, balance_on
from webapp.snapshots import stored_values
from webapp.snapshots.statements import TextStatement
from webapp.snapshots.stored_values import instant


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
    rows = _NEAREST.rows(organization_id=organization_id, ids=list(currencies), day=day)
    for fa_id, on_day, amount, stated_at, received_at, between in rows:
        snapshot = _snapshot(on_day, amount, stated_at, received_at)
        stated.setdefault(fa_id, []).append(snapshot)
        # What moved between both days is one sum, and stands under the later of them.
        moved[fa_id] = [(max(day, snapshot.day), between)]
    found = {}
    for fa_id, currency in currencies.items():
        balance = balance_on(day, stated.get(fa_id, []), moved.get(fa_id, []))
        amount = None if balance.amount_minor is None else Money(balance.amount_minor, currency)
        found[fa_id] = ProviderBalanceOnDay(
            amount, currency, balance.as_of, balance.snapshot_date, balance.basis
        )
    return found


def _snapshot(on_day: Any, amount_minor: int, stated_at: Any, received_at: Any) -> Snapshot:
    day, received = stored_values.day(on_day), instant(received_at)
    if day is None or received is None:
        raise ValueError(on_day, received_at)
    return Snapshot(day, amount_minor, instant(stated_at), received)


# What lines come to after one day and up to a later one: the months between the months of both, and the days of the
# later one's month, without those of the earlier one's that come before. So each reads a few rows of an index,
# however long the history is.
_NEAREST: Final = TextStatement(
    """
    WITH nearest AS (
        SELECT f.id, COALESCE(
            (SELECT min(n.day) FROM provider_balances n
                WHERE n.organization_id = :organization_id AND n.feed_account_id = f.id AND n.day >= {day}),
            (SELECT max(n.day) FROM provider_balances n
                WHERE n.organization_id = :organization_id AND n.feed_account_id = f.id AND n.day < {day})) AS day
        FROM feed_accounts f WHERE f.organization_id = :organization_id AND f.id IN {ids}
    ), spans AS (
        SELECT n.id, n.day, {earlier} AS earlier, {later} AS later FROM nearest n
    ), months AS (
        SELECT s.id, s.day, s.earlier, s.later, {earlier_month} AS earlier_month, {later_month} AS later_month
        FROM spans s
    )
    SELECT m.id, m.day, b.amount_minor, b.stated_at, b.received_at, CAST(
        (SELECT COALESCE(sum(l.amount_minor), 0) FROM line_month_sums l
            WHERE l.organization_id = :organization_id AND l.feed_account_id = m.id
            AND l.day >= m.earlier_month AND l.day < m.later_month)
        + (SELECT COALESCE(sum(l.amount_minor), 0) FROM line_day_sums l
            WHERE l.organization_id = :organization_id AND l.feed_account_id = m.id
            AND l.day >= m.later_month AND l.day <= m.later)
        - (SELECT COALESCE(sum(l.amount_minor), 0) FROM line_day_sums l
            WHERE l.organization_id = :organization_id AND l.feed_account_id = m.id
            AND l.day >= m.earlier_month AND l.day <= m.earlier) AS bigint)
    FROM months m
    JOIN provider_balances b
        ON b.organization_id = :organization_id AND b.feed_account_id = m.id AND b.day = m.day
    ORDER BY b.id""",
    day=(":day", "CAST(:day AS date)"),
    earlier=("min(n.day, :day)", "LEAST(n.day, CAST(:day AS date))"),
    later=("max(n.day, :day)", "GREATEST(n.day, CAST(:day AS date))"),
    earlier_month=("substr(s.earlier, 1, 8) || '01'", "CAST(date_trunc('month', s.earlier) AS date)"),
    later_month=("substr(s.later, 1, 8) || '01'", "CAST(date_trunc('month', s.later) AS date)"),
)
