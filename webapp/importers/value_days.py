"""Value dates: they decide interest but no booking, and some banks write impossible days."""

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Final, NamedTuple

from webapp.importers.bank_files import Statement
from webapp.importers.values import YEARS, day_parts

_LONGEST_MONTH: Final = 31
_SHORTEST_MONTH: Final = 28


class ValueDay(NamedTuple):
    """A value date; `is_moved` if the month lacks the day that the bank wrote."""

    day: date
    is_moved: bool = False


def value_day(year: int, month: int, day: int) -> ValueDay | None:
    """Return the value date of a year, a month and a day, at most the last of the month; None for no date.

    German banks count interest by years of 360 days, in which every month has a 30th.

    >>> value_day(2016, 2, 30), value_day(2016, 2, 29)
    (ValueDay(day=datetime.date(2016, 2, 29), is_moved=True), ValueDay(day=datetime.date(2016, 2, 29), is_moved=False))
    >>> value_day(2026, 4, 31).day, value_day(2026, 4, 32), value_day(2026, 13, 1), value_day(26, 1, 1)
    (datetime.date(2026, 4, 30), None, None, None)
    """
    for last in range(day, _SHORTEST_MONTH - 1, -1) if _SHORTEST_MONTH < day <= _LONGEST_MONTH else [day]:
        try:
            return ValueDay(date(year, month, last), last != day) if year in YEARS else None
        except ValueError:
            continue
    return None


def stated_value_day(text: str) -> ValueDay | None:
    """Read a value date as `values.day` reads dates.

    >>> stated_value_day("2026-02-30"), stated_value_day("soon")
    (ValueDay(day=datetime.date(2026, 2, 28), is_moved=True), None)
    """
    parts = day_parts(text)
    return value_day(*parts) if parts else None


def moved_value_days(statements: Iterable[Statement]) -> Iterator[str]:
    """Warn of value dates that were moved to the last day of the month."""
    rows = [line.row for statement in statements for line in statement.lines if line.has_moved_value_day]
    if rows:
        yield moved_warning(len(rows), f"line {rows[0]:,} of the file")


def moved_warning(count: int, first: str) -> str:
    """Return the warning about moved value dates, with the place of the first.

    >>> moved_warning(1, "line 3 of the file")[:46], moved_warning(2, "line 3 of the file")[:47]
    ('1 value date (line 3 of the file) does not exi', '2 value dates (the first: line 3 of the file) d')
    """
    where = (
        f"1 value date ({first}) does not exist"
        if count == 1
        else f"{count:,} value dates (the first: {first}) do not exist"
    )
    return f"{where}, such as 30 February; the last day of the month was taken. No booking date is changed."
