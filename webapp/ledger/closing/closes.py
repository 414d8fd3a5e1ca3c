"""Closes of months: the days that one is of, and the states of its steps."""

from datetime import date, timedelta
from enum import StrEnum
from typing import Final

from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.financial_years import FinancialYears
from webapp.ledger.periods import Period, month_end

RHYTHMS: Final = ("MONTH", "QUARTER", "YEAR")
# Of closes of the same month at most one is not reopened.
STANDING_CLOSES: Final = "status <> 'REOPENED'"


class StepState(StrEnum):
    """The state of a step: done, to do, nothing to be done in these books, or left with a note."""

    DONE = "DONE"
    TO_DO = "TO_DO"
    NOTHING = "NOTHING"
    ACCEPTED = "ACCEPTED"


class CloseState(StrEnum):
    """The state of the close of a month."""

    OPEN = "OPEN"
    PREPARED = "PREPARED"
    CLOSED = "CLOSED"
    REOPENED = "REOPENED"


class YearBetweenError(LedgerError):
    """A close does not run over the end of a financial year; close that month first."""

    code = "year_between"
    is_read = True


class PeriodOpenError(UnprocessableError):
    """The month is not over yet; close it when it is."""

    code = "period_open"
    is_read = True


class PeriodNameError(UnprocessableError):
    """A period is a year and a month, such as 2026-03."""

    code = "period_name"
    is_read = True


def is_of(every: str, month: date, years: FinancialYears) -> bool:
    """Return whether a step of a rhythm is one of a month, by its last day: quarters count from the year's start.

    >>> [is_of(every, date(2026, 3, 31), FinancialYears()) for every in RHYTHMS]
    [True, True, False]
    """
    start = years.of(month).first
    place = (month.year - start.year) * 12 + month.month - start.month + 1
    return place % {"MONTH": 1, "QUARTER": 3, "YEAR": 12}[every] == 0


def month_named(name: str) -> date:
    """Return the last day of a month named like 2026-03.

    >>> str(month_named("2028-02"))
    '2028-02-29'
    """
    try:
        return month_end(date.fromisoformat(f"{name}-01"))
    except ValueError as error:
        raise PeriodNameError(fields={"period": [str(PeriodNameError.__doc__)]}) from error


def period_to_close(
    last: date, last_closed: date | None, first_posted: date | None, years: FinancialYears, today: date
) -> Period:
    """Return the days that a close up to the last day of a month is of: from the day after the last close on.

    Without a close before it, it begins with the month of the first posting.

    >>> day, march = date.fromisoformat, date(2026, 3, 31)
    >>> str(period_to_close(march, day("2025-12-31"), None, FinancialYears(), day("2026-04-10")).first)
    '2026-01-01'
    """
    if last >= today:
        sentence = (
            f"{last:%B %Y} is not over yet; it can be closed from {last + timedelta(days=1):%-d %b %Y} on."
        )
        raise PeriodOpenError(sentence, fields={"period": [sentence]})
    first = last.replace(day=1)
    if last_closed is not None:
        first = min(last_closed + timedelta(days=1), first)
    elif first_posted is not None:
        first = min(first_posted.replace(day=1), first)
    year = years.of(first)
    if year.last < last:
        raise YearBetweenError(
            f"{year.last:%-d %b %Y} ends a financial year that is not closed. Close {year.last:%B %Y} first.",
            details={"closeFirst": f"{year.last:%Y-%m}"},
        )
    return Period(first, last)
