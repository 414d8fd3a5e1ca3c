"""The bank's balance on a day, rolled back or forward from its stated balances."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

Basis = Literal["snapshot", "rolled_back", "rolled_forward", "unavailable"]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A ledger or closing balance that the bank stated for the close of a day, in minor units."""

    day: date
    amount_minor: int
    stated_at: datetime | None
    received_at: datetime


@dataclass(frozen=True, slots=True)
class BalanceOnDay:
    """The bank's balance at the close of a day, and the snapshot behind it; None if unknown."""

    amount_minor: int | None
    as_of: date
    snapshot_date: date | None
    basis: Basis


def balance_on(day: date, snapshots: Iterable[Snapshot], lines: Iterable[tuple[date, int]]) -> BalanceOnDay:
    """Roll the nearest snapshot to a day: a snapshot at or after it back, else the newest before it forward.

    `lines` are the booking days and amounts of only BOOKED and SET_ASIDE lines, singly or summed by day.

    >>> at = datetime(2026, 11, 2)
    >>> stated = [Snapshot(date(2026, 10, 31), 5000, None, at)]
    >>> balance_on(date(2026, 10, 30), stated, [(date(2026, 10, 30), 70), (date(2026, 10, 31), -300)])
    BalanceOnDay(amount_minor=5300, as_of=datetime.date(2026, 10, 30), \
snapshot_date=datetime.date(2026, 10, 31), basis='rolled_back')
    """
    snapshot = nearest(day, list(snapshots))
    if snapshot is None:
        return BalanceOnDay(None, day, None, "unavailable")
    first, last = sorted((day, snapshot.day))
    between = sum(amount for booked_on, amount in lines if first < booked_on <= last)
    if snapshot.day >= day:
        basis: Basis = "snapshot" if snapshot.day == day else "rolled_back"
        return BalanceOnDay(snapshot.amount_minor - between, day, snapshot.day, basis)
    return BalanceOnDay(snapshot.amount_minor + between, day, snapshot.day, "rolled_forward")


def nearest(day: date, snapshots: Sequence[Snapshot]) -> Snapshot | None:
    """Choose the snapshot nearest to a day: the first from that day on, else the last before it."""
    later = [snapshot.day for snapshot in snapshots if snapshot.day >= day]
    earlier = [snapshot.day for snapshot in snapshots if snapshot.day < day]
    if not later and not earlier:
        return None
    chosen = min(later) if later else max(earlier)
    return last_of_day([snapshot for snapshot in snapshots if snapshot.day == chosen])


def last_of_day(snapshots: Sequence[Snapshot]) -> Snapshot:
    """Choose among the snapshots of one day: the last by the bank's time, or by receipt without a time.

    A snapshot with the bank's time has priority; among equals the later in the list.
    """
    return max(
        enumerate(snapshots),
        key=lambda numbered: (
            numbered[1].stated_at is not None,
            numbered[1].stated_at or numbered[1].received_at,
            numbered[1].received_at,
            numbered[0],
        ),
    )[1]
