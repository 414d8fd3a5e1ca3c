"""Periods of reports: from a day to another, both among them, and the one that they are compared with."""

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = 12


@dataclass(frozen=True, slots=True)
class Period:
    """From a day to another, both inclusive."""

    first: date
    last: date

    @property
    def eve(self) -> date:
        """The day before it, at whose close balances are as it begins."""
        return self.first - timedelta(days=1)

    @property
    def before(self) -> "Period":
        """The period before: as many whole months where it is whole months, else as many days.

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
    def _is_whole_months(self) -> bool:
        return self.first.day == 1 and self.last.day == monthrange(self.last.year, self.last.month)[1]


def _month(day: date) -> int:
    """Number the months."""
    return day.year * _MONTHS + day.month - 1
