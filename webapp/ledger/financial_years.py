"""Financial years: their first days, and the effect of another first month."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from webapp.ledger.periods import Period

JANUARY = 1
QUARTER = 3
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, order=True)
class FirstMonth:
    """The first month of financial years from a day on; a year also begins on that day."""

    starts_on: date
    month: int

    @property
    def since(self) -> date | None:
        """The day from which it holds, or None if it always did."""
        return None if self.starts_on == date.min else self.starts_on


ALWAYS_JANUARY = FirstMonth(date.min, JANUARY)


@dataclass(frozen=True, slots=True)
class FinancialYears:
    """The financial years of an organization; calendar years unless a first month is set.

    >>> years = FinancialYears().changed(7, date(2025, 12, 31))
    >>> [f"{day:%Y-%m}" for day in years.starts_within(Period(date(2024, 12, 31), date(2027, 12, 31)))]
    ['2025-01', '2026-01', '2026-07', '2027-07']
    """

    first_months: Sequence[FirstMonth] = ()

    @property
    def _all(self) -> Sequence[FirstMonth]:
        starts_always = self.first_months and self.first_months[0].starts_on == date.min
        return self.first_months if starts_always else (ALWAYS_JANUARY, *self.first_months)

    @property
    def month(self) -> int:
        """The first month as it is set now."""
        return self._all[-1].month

    def start_of(self, day: date) -> date:
        """Return the first day of a day's financial year."""
        rule = [each for each in self._all if each.starts_on <= day][-1]
        year = day.year - (day.month < rule.month)
        return max(rule.starts_on, date(year, rule.month, 1)) if year else rule.starts_on

    def of(self, day: date) -> Period:
        """Return the whole financial year of a day.

        >>> years = FinancialYears((FirstMonth(date.min, 4),))
        >>> str(years.of(date(2026, 3, 31)).first), str(years.of(date(2026, 3, 31)).last)
        ('2025-04-01', '2026-03-31')
        """
        return Period(self.start_of(day), self._next_start(day) - DAY)

    def quarter_of(self, day: date) -> Period:
        """Return a day's quarter in its financial year; the last quarter of a short year may be shorter.

        >>> quarter = FinancialYears((FirstMonth(date.min, 2),)).quarter_of(date(2026, 1, 31))
        >>> str(quarter.first), str(quarter.last)
        ('2025-11-01', '2026-01-31')
        """
        months = list(self.of(day).months)
        place = next(number for number, month in enumerate(months) if day <= month.last)
        begun = place - place % QUARTER
        return Period(months[begun].first, months[begun : begun + QUARTER][-1].last)

    def month_of(self, day: date) -> Period:
        """Return the month of a day."""
        return next(month for month in self.of(day).months if day <= month.last)

    def year_to(self, day: date) -> Period:
        """Return the financial year up to a day."""
        return Period(self.start_of(day), day)

    def starts_within(self, period: Period) -> list[date]:
        """List the first days of financial years within a period, except the period's first day."""
        return list(self._starts_after(period.first, period.last))

    def _starts_after(self, day: date, last: date) -> Iterator[date]:
        start = self._next_start(day)
        while start <= last:
            yield start
            start = self._next_start(start)

    def _next_start(self, day: date) -> date:
        rule = [each for each in self._all if each.starts_on <= day][-1]
        later = [each.starts_on for each in self._all if each.starts_on > day]
        return min([date(day.year + (day.month >= rule.month), rule.month, 1), *later])

    def changed(self, month: int, locked_until: date | None) -> FinancialYears:
        """Begin years with another month after the last locked year, or all years if nothing is locked."""
        first_open = self.start_of(locked_until + DAY) if locked_until else date.min
        kept = [each for each in self._all if each.starts_on < first_open]
        if not kept or kept[-1].month != month:
            kept.append(FirstMonth(first_open, month))
        return FinancialYears(tuple(each for each in kept if each != ALWAYS_JANUARY))
