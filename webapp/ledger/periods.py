"""Periods of reports, from a day to another, both inclusive, and the periods to compare with."""

from calendar import monthrange
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Period:
    """From a day to another, both inclusive."""

    first: date
    last: date

    @classmethod
    def months_to(cls, day: date, months: int) -> "Period":
        """Return a number of months up to a day, including its own.

        >>> str(Period.months_to(date(2026, 11, 22), 12).first)
        '2025-12-01'
        """
        year, month = divmod(_month(day) - months + 1, _MONTHS)
        return cls(date(year, month + 1, 1), day)

    @property
    def eve(self) -> date:
        """The day before it, whose closing balances open it."""
        return self.first - timedelta(days=1)

    @property
    def before(self) -> "Period":
        """The period before: as many whole months if it is whole months, else as many days.

        >>> year = Period(date(2026, 1, 1), date(2026, 12, 31)).before
        >>> quarter = Period(date(2026, 4, 1), date(2026, 6, 30)).before
        >>> days = Period(date(2026, 3, 10), date(2026, 3, 19)).before
        >>> [f"{each.first} {each.last}" for each in (year, quarter, days)]
        ['2025-01-01 2025-12-31', '2026-01-01 2026-03-31', '2026-02-28 2026-03-09']
        """
        if self._is_whole_months:
            months = _month(self.last) - _month(self.first) + 1
            year, month = divmod(_month(self.first) - months, _MONTHS)
            return Period(date(year, month + 1, 1), self.eve)
        return Period(self.first - (self.last - self.first) - timedelta(days=1), self.eve)

    @property
    def a_year_before(self) -> "Period":
        """The same days a year before; the end of a month stays one.

        >>> leap = Period(date(2024, 2, 1), date(2024, 2, 29)).a_year_before
        >>> str(leap.last), str(Period(leap.first, leap.last).a_year_before.last)
        ('2023-02-28', '2022-02-28')
        >>> str(Period(date(2025, 2, 1), date(2025, 2, 28)).a_year_before.last)
        '2024-02-29'
        """
        last = _day_of(self.last.year - 1, self.last.month, 31 if _is_last(self.last) else self.last.day)
        return Period(_day_of(self.first.year - 1, self.first.month, self.first.day), last)

    @property
    def months(self) -> "Iterator[Period]":
        """Its months; the first and last may be cut.

        >>> [f"{each.first} {each.last}" for each in Period(date(2025, 12, 20), date(2026, 2, 3)).months]
        ['2025-12-20 2025-12-31', '2026-01-01 2026-01-31', '2026-02-01 2026-02-03']
        """
        first = self.first
        while first <= self.last:
            last = min(_day_of(first.year, first.month, 31), self.last)
            yield Period(first, last)
            first = last + timedelta(days=1)

    @property
    def _is_whole_months(self) -> bool:
        return self.first.day == 1 and _is_last(self.last)


def month_end(value: date) -> date:
    """Return the last day of a day's month.

    >>> month_end(date(2026, 2, 9)), month_end(date(2026, 12, 31))
    (datetime.date(2026, 2, 28), datetime.date(2026, 12, 31))
    """
    return value.replace(day=monthrange(value.year, value.month)[1])


def _is_last(day: date) -> bool:
    return day == month_end(day)


def _day_of(year: int, month: int, day: int) -> date:
    """Return a day of a month, or its last day if it has fewer."""
    return date(year, month, min(day, monthrange(year, month)[1]))


def _month(day: date) -> int:
    """Number the months."""
    return day.year * _MONTHS + day.month - 1
