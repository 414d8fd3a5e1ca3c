"""The days that a close is of."""

from datetime import date

import pytest

from webapp.ledger.closing.closes import (
    PeriodNameError,
    PeriodOpenError,
    YearBetweenError,
    month_named,
    period_to_close,
)
from webapp.ledger.errors import LedgerError
from webapp.ledger.financial_years import FinancialYears, FirstMonth

POSTED, TODAY = date(2025, 11, 17), date(2026, 5, 10)
APRIL = FinancialYears((FirstMonth(date.min, 4),))


@pytest.mark.parametrize(
    ("period", "closed", "years", "expected"),
    [
        ("2026-04", date(2026, 3, 31), FinancialYears(), "2026-04-01"),
        ("2026-04", date(2025, 12, 31), FinancialYears(), "2026-01-01"),
        ("2025-12", None, FinancialYears(), "2025-11-01"),
        ("2026-03", None, APRIL, "2025-11-01"),
        ("2026-04", date(2026, 4, 12), FinancialYears(), "2026-04-01"),
        ("2026-03", None, FinancialYears(), "2025-12"),
        ("2026-04", date(2026, 2, 28), APRIL, "2026-03"),
        ("2026-05", date(2026, 4, 30), FinancialYears(), PeriodOpenError),
        ("2026-13", None, FinancialYears(), PeriodNameError),
        ("march", None, FinancialYears(), PeriodNameError),
    ],
)
def test_a_close_goes_on_from_the_last_one_and_over_no_year_end(period, closed, years, expected):
    try:
        found = str(period_to_close(month_named(period), closed, POSTED, years, TODAY).first)
    except YearBetweenError as error:
        found = error.details["closeFirst"]
    except LedgerError as error:
        found = type(error)
    assert found == expected
