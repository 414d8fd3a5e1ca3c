"""When things are done by themselves: the next time of each kind, which is another minute for each organization."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple
from zlib import crc32
from zoneinfo import ZoneInfo

from webapp.ledger.codes import AUTOMATIC, SCHEDULES

RATES, DELETION, CHECK, _ = AUTOMATIC
DAY: Final = timedelta(days=1)
SUNDAY: Final = 6


class Timetable(NamedTuple):
    """The days of a week, Monday is 0, and the hour after which it is done; in the zone of the books unless named."""

    weekdays: frozenset[int]
    hour: int
    zone: str | None = None


TIMES: Final = {
    # The European Central Bank publishes at about four o'clock.
    RATES: Timetable(frozenset(range(5)), 17, "Europe/Berlin"),
    DELETION: Timetable(frozenset(range(7)), 2),
    CHECK: Timetable(frozenset({SUNDAY}), 3),
    SCHEDULES: Timetable(frozenset(range(7)), 1),
}


def next_run(kind: str, organization_id: str, zone: str, now: datetime) -> tuple[date, datetime]:
    """Give the day of a kind's next run, which names it, and the instant from which on it is done.

    >>> next_run(RATES, "org_1", "Asia/Tokyo", datetime(2026, 11, 27, 20, tzinfo=UTC))  # a Friday evening
    (datetime.date(2026, 11, 30), datetime.datetime(2026, 11, 30, 16, 18, tzinfo=datetime.timezone.utc))
    >>> next_run(CHECK, "org_1", "Asia/Tokyo", datetime(2026, 11, 27, 20, tzinfo=UTC))
    (datetime.date(2026, 11, 29), datetime.datetime(2026, 11, 28, 18, 18, tzinfo=datetime.timezone.utc))
    """
    times = TIMES[kind]
    here = ZoneInfo(times.zone or zone)
    at = time(times.hour, crc32(organization_id.encode()) % 60)
    day = now.astimezone(here).date()
    while day.weekday() not in times.weekdays or datetime.combine(day, at, here) <= now:
        day += DAY
    return day, datetime.combine(day, at, here).astimezone(UTC)
