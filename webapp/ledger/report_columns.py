"""The columns of a report: its period, its comparison, and its months side by side.

Also the postings that count, and their grouping.
"""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from webapp.ledger.dimensions import EVERYTHING, Dimension, DimensionSelection
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.periods import Period

MOST_MONTHS = 24


class Comparison(StrEnum):
    """The comparison of a period."""

    PREVIOUS_PERIOD = "previous_period"
    PREVIOUS_YEAR = "previous_year"
    NONE = "none"


class Adjusting(StrEnum):
    """Whether adjusting entries of the year count."""

    WITH = "WITH"
    WITHOUT = "WITHOUT"


class TooManyMonthsError(UnprocessableError):
    """At most 24 months stand side by side; choose a shorter period."""

    code = "too_many_months"


@dataclass(frozen=True, slots=True)
class ReportColumns:
    """The periods of a report; `months` are its own period's, cut at both ends, `year_to_date` its financial year's.

    Only postings in the `selection` count; `by` is the dimension of each figure's parts. `adjusting` says whether the
    adjusting entries of the financial year that the period ends in count.
    """

    period: Period
    compared_with: Period | None = None
    months: tuple[Period, ...] | None = None
    selection: DimensionSelection = EVERYTHING
    by: Dimension | None = None
    year_to_date: Period | None = None
    adjusting: Adjusting = Adjusting.WITH

    @property
    def unadjusted_on(self) -> date | None:
        """The day to whose financial year no adjusting entry counts; None where all do."""
        return self.period.last if self.adjusting is Adjusting.WITHOUT else None

    @property
    def periods(self) -> list[Period]:
        """All periods, in the order of figures."""
        compared = [self.compared_with] if self.compared_with else []
        year = [self.year_to_date] if self.year_to_date else []
        return [self.period, *compared, *(self.months or ()), *year]


def compared(period: Period, comparison: Comparison) -> Period | None:
    """Return the period to compare with, or None."""
    if comparison is Comparison.PREVIOUS_YEAR:
        return period.a_year_before
    return period.before if comparison is Comparison.PREVIOUS_PERIOD else None


def side_by_side(period: Period) -> tuple[Period, ...]:
    """Return the months of a period, or raise TooManyMonthsError."""
    months = tuple(period.months)
    if len(months) > MOST_MONTHS:
        raise TooManyMonthsError(fields={"months": [str(TooManyMonthsError())]})
    return months
