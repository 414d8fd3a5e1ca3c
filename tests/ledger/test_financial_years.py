"""Financial years: calendar years until the first month is another; a change makes one short year."""

from datetime import date

import pytest

from webapp.ledger.financial_years import FinancialYears, FirstMonth
from webapp.ledger.periods import Period

DECADE = Period(date(2019, 12, 31), date(2029, 1, 1))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ([], ["24-01-01", "25-01-01", "26-01-01", "27-01-01", "28-01-01"]),
        ([(4, None)], ["24-04-01", "25-04-01", "26-04-01", "27-04-01", "28-04-01"]),
        # The year that a lock is within is no locked year.
        ([(4, "2024-12-30")], ["24-01-01", "24-04-01", "25-04-01", "26-04-01", "27-04-01"]),
        ([(4, "2024-12-31")], ["24-01-01", "25-01-01", "25-04-01", "26-04-01", "27-04-01"]),
        # Another choice before the short year is locked leaves no trace of the first.
        (
            [(4, "2024-12-31"), (7, "2025-03-30")],
            ["24-01-01", "25-01-01", "25-07-01", "26-07-01", "27-07-01"],
        ),
        (
            [(4, "2024-12-31"), (1, "2025-03-30")],
            ["24-01-01", "25-01-01", "26-01-01", "27-01-01", "28-01-01"],
        ),
        # After it is locked the next year is short too.
        (
            [(4, "2024-12-31"), (1, "2025-03-31")],
            ["24-01-01", "25-01-01", "25-04-01", "26-01-01", "27-01-01"],
        ),
    ],
)
def test_a_first_month_begins_after_the_last_year_that_is_locked(changes, expected):
    years = FinancialYears()
    for month, lock in changes:
        years = years.changed(month, lock and date.fromisoformat(lock))
        assert years.month == month
    assert [f"{day:%y-%m-%d}" for day in years.starts_within(DECADE)][4:9] == expected


def test_every_day_belongs_to_one_year_and_years_follow_each_other():
    years = FinancialYears((FirstMonth(date.min, 10), FirstMonth(date(2025, 10, 1), 3)))
    year = years.of(date(2024, 2, 29))
    assert (str(year.first), str(year.last)) == ("2023-10-01", "2024-09-30")
    assert [years.of(each) for each in (year.first, year.last)] == [year, year]
    assert years.of(date(2025, 12, 1)) == Period(date(2025, 10, 1), date(2026, 2, 28))
    assert years.year_to(date(2026, 4, 30)) == Period(date(2026, 3, 1), date(2026, 4, 30))
