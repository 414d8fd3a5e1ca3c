"""The columns of a report: its period, the one that it is compared with, and its months side by side.

And what stands in them: which postings count, and by what they are grouped.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from webapp.ledger.dimensions import EVERYTHING, Dimension, DimensionSelection
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.periods import Period

MOST_MONTHS = 24


class Comparison(StrEnum):
    """What a period is compared with."""

    PREVIOUS_PERIOD = "previous_period"
    PREVIOUS_YEAR = "previous_year"
    NONE = "none"


class TooManyMonthsError(UnprocessableError):
    """At most 24 months stand side by side; choose a shorter period."""

    code = "too_many_months"


@dataclass(frozen=True, slots=True)
class ReportColumns:
    """The periods of a report; `months` are those of its own period, with days cut off at its ends.

    Only what is in the `selection` counts; `by` says what each figure has parts for.
    """

    period: Period
    compared_with: Period | None = None
    months: tuple[Period, ...] | None = None
    selection: DimensionSelection = EVERYTHING
    by: Dimension | None = None

    @property
    def periods(self) -> list[Period]:
        """All periods, in the order in which figures have them."""
        compared = [self.compared_with] if self.compared_with else []
        return [self.period, *compared, *(self.months or ())]


def compared(period: Period, comparison: Comparison) -> Period | None:
    """Give the period that another is compared with, or none."""
    if comparison is Comparison.PREVIOUS_YEAR:
        return period.a_year_before
    return period.before if comparison is Comparison.PREVIOUS_PERIOD else None


def side_by_side(period: Period) -> tuple[Period, ...]:
    """Give the months of a period, or raise TooManyMonthsError."""
    months = tuple(period.months)
    if len(months) > MOST_MONTHS:
        raise TooManyMonthsError(fields={"months": [str(TooManyMonthsError())]})
    return months
