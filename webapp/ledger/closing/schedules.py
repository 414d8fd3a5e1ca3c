"""Schedules: the days on which their parts fall due, and what each part is of the whole."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import groupby
from typing import Final

from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.financial_years import FinancialYears
from webapp.ledger.periods import Period, month_end
from webapp.ledger.tax.forms import months_after

MOST_PARTS, HIGHEST_RATE = 600, 100
_MONTHS = 12


class ScheduleKind(StrEnum):
    """What the parts of a schedule are: a reversal, the same entry each time, shares of an amount, interest."""

    REVERSING = "REVERSING"
    RECURRING = "RECURRING"
    RELEASE = "RELEASE"
    DEPRECIATION = "DEPRECIATION"
    LOAN = "LOAN"


class DayRule(StrEnum):
    """On which day of their month parts fall due: that of the first part, the last or the first."""

    ANCHOR = "ANCHOR"
    LAST_DAY = "LAST_DAY"
    FIRST_DAY = "FIRST_DAY"


def preset_rule(kind: str) -> DayRule:
    """Return the rule of the days of a kind of schedule, where nobody chose one."""
    is_by_month = kind in (ScheduleKind.RELEASE, ScheduleKind.DEPRECIATION)
    return DayRule.LAST_DAY if is_by_month else DayRule.ANCHOR


class PartState(StrEnum):
    """The state of a part; one that was voided is due again, and posts by hand only."""

    PLANNED = "PLANNED"
    DUE = "DUE"
    DRAFT = "DRAFT"
    POSTED = "POSTED"
    REFUSED = "REFUSED"
    SKIPPED = "SKIPPED"


METHODS = ("STRAIGHT_LINE", "REDUCING")
SPLITS = ("EQUAL", "GIVEN")
FIRST_MONTHS = ("FULL", "NEXT")
EVERY = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


# The role of the account of gains and losses on disposal, which books have once they have an asset.
DISPOSAL: Final = "disposal"


def bears_part(due_on: date, disposed_on: date, first_month: str | None) -> bool:
    """Return whether the month of a part is borne before a disposal: one that began in full ends with nothing.

    >>> day = date(2027, 7, 20)
    >>> [bears_part(date(2027, 7, 31), day, each) for each in ("FULL", "NEXT")]
    [False, True]
    """
    month, last = (due_on.year, due_on.month), (disposed_on.year, disposed_on.month)
    return month <= last if first_month == "NEXT" else month < last


def split_of(kind: str, method: str | None) -> str | None:
    """Return how parts come from an amount: EQUAL shares of it, or each as GIVEN; None where neither is so.

    >>> [split_of(*each) for each in (("RELEASE", None), ("RECURRING", None), ("DEPRECIATION", "REDUCING"))]
    ['EQUAL', 'GIVEN', None]
    """
    if kind == ScheduleKind.RECURRING:
        return "GIVEN"
    return "EQUAL" if kind == ScheduleKind.RELEASE or method == "STRAIGHT_LINE" else None


class ReversesBeforeError(UnprocessableError):
    """An entry is reversed on a later day than its own."""

    code = "reverses_before"


class ScheduleLengthError(UnprocessableError):
    """A schedule has 1 to 600 parts: send `periods`, or the day on which it ends, not both."""

    code = "schedule_length"


class PartStateError(LedgerError):
    """This part is posted or skipped already; void its entry first."""

    code = "part_done"


def due_days(starts_on: date, periods: int, every: str = "MONTH", rule: str = DayRule.ANCHOR) -> list[date]:
    """List the days of parts, each from the first one and never from the one before.

    >>> [str(day) for day in due_days(date(2026, 1, 31), 3)]
    ['2026-01-31', '2026-02-28', '2026-03-31']
    >>> [str(day) for day in due_days(date(2026, 2, 28), 2, rule="LAST_DAY")]
    ['2026-02-28', '2026-03-31']
    """
    return [_ruled(months_after(starts_on, place * EVERY[every]), rule) for place in range(periods)]


def periods_until(starts_on: date, ends_on: date, every: str, rule: str) -> int:
    """Count the parts of a schedule that ends on a day, or raise ScheduleLengthError.

    >>> periods_until(date(2026, 1, 31), date(2026, 4, 29), "MONTH", "ANCHOR")
    3
    """
    count = 0
    while count <= MOST_PARTS and _ruled(months_after(starts_on, count * EVERY[every]), rule) <= ends_on:
        count += 1
    if not 0 < count <= MOST_PARTS:
        raise ScheduleLengthError(fields={"endsOn": [str(ScheduleLengthError.__doc__)]})
    return count


def _ruled(day: date, rule: str) -> date:
    if rule == DayRule.LAST_DAY:
        return month_end(day)
    return day.replace(day=1) if rule == DayRule.FIRST_DAY else day


def equal_parts(total_minor: int, periods: int) -> list[int]:
    """Split an amount into parts, each the rounded share up to it less the parts before; sums of years are exact.

    >>> equal_parts(100000, 12)[:5], equal_parts(-20000, 3), equal_parts(10, 12)[:5]
    ([8333, 8334, 8333, 8333, 8334], [-6667, -6666, -6667], [1, 1, 1, 0, 1])
    """
    return _steps([_rounded(total_minor * place, periods) for place in range(1, periods + 1)])


def shares_of(base_minor: int, parts: Sequence[int]) -> list[int]:
    """Split what an amount was worth by its parts: each the rounded share of what is released, less those before.

    >>> shares_of(109173, equal_parts(120000, 12))[:4]
    [9098, 9098, 9097, 9098]
    """
    total, released, ends = sum(parts), 0, []
    for part in parts:
        released += part
        ends.append(_rounded(base_minor * released, total))
    return _steps(ends)


def reducing_parts(
    cost_minor: int, residual_minor: int, rate: Decimal, days: Sequence[date], years: FinancialYears
) -> list[int]:
    """Depreciate month by month at a rate of the book value at each financial year's start, never below the residual.

    A year that reaches the residual spreads what is left over its months.

    >>> days = due_days(date(2026, 5, 31), 8, rule="LAST_DAY")
    >>> parts = reducing_parts(490000, 0, Decimal("33.33"), days, FinancialYears())
    >>> sum(parts), parts[-1]
    (108878, 13610)
    """
    left, parts = cost_minor, []
    for year, found in groupby(days, years.of):
        of_year = list(found)
        whole = left * Fraction(rate) / 100
        months = len(list(Period(max(year.first, of_year[0].replace(day=1)), year.last).months))
        within = min(whole * months / _MONTHS, Fraction(left - residual_minor))
        shares = [within * place / months for place in range(1, len(of_year) + 1)]
        parts += _steps([_rounded(each.numerator, each.denominator) for each in shares])
        left = cost_minor - sum(parts)
    return parts


@dataclass(frozen=True, slots=True)
class LoanPart:
    """A payment of a loan: its interest, what it pays back, and what is owed after it."""

    interest: int
    principal: int
    owed: int


def annuity(
    principal_minor: int, rate: Decimal, payment_minor: int, periods: int, every: str = "MONTH"
) -> list[LoanPart]:
    """Plan the payments of a loan; the last one pays what is left.

    >>> plan = annuity(1200000, Decimal(6), 103280, 12)
    >>> plan[0].interest, plan[0].principal, plan[-1].interest + plan[-1].principal
    (6000, 97280, 103278)
    """
    owed, plan = principal_minor, []
    for number in range(1, periods + 1):
        share = owed * Fraction(rate) * EVERY[every] / (100 * _MONTHS)
        interest = _rounded(share.numerator, share.denominator)
        principal = owed if number == periods else min(payment_minor - interest, owed)
        owed -= principal
        plan.append(LoanPart(interest, principal, owed))
    return plan


def _steps(ends: Sequence[int]) -> list[int]:
    return [end - before for before, end in zip((0, *ends), ends, strict=False)]


def _rounded(dividend: int, divisor: int) -> int:
    """Divide and round to a whole, a half away from zero."""
    if divisor < 0:
        dividend, divisor = -dividend, -divisor
    whole = (2 * abs(dividend) + divisor) // (2 * divisor)
    return -whole if dividend < 0 else whole
