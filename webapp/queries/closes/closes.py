"""The close of a month as it stands: its steps, judged anew on each read, and its cut-off."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime

from webapp.ledger.closing.closes import StepState, month_named, period_to_close
from webapp.ledger.periods import Period
from webapp.queries.access import organizations
from webapp.queries.accounts import balances
from webapp.queries.closes import steps
from webapp.queries.closes.steps import CloseStep
from webapp.queries.journal import cut_offs
from webapp.queries.journal.cut_offs import CutOff


@dataclass(frozen=True, slots=True)
class CloseRecord:
    """The close of a month, from the day after the last close to the month's end."""

    period: str
    from_: date
    to: date
    steps: Sequence[CloseStep]
    cut_off: CutOff

    @property
    def left(self) -> Sequence[CloseStep]:
        """The steps that are still to do."""
        return [each for each in self.steps if each.state is StepState.TO_DO]

    @property
    def counted(self) -> int:
        """How many steps these books have."""
        return sum(each.state is not StepState.NOTHING for each in self.steps)


def month_of(period: str) -> Period:
    """Give the days of a month named like 2026-03, or raise PeriodNameError."""
    last = month_named(period)
    return Period(last.replace(day=1), last)


def days_of(organization_id: str, period: str, now: datetime) -> Period:
    """Give the days of the close of a month, or raise YearBetweenError or PeriodOpenError."""
    last = month_named(period)
    lock_date = organizations.get(organization_id).lock_date
    return period_to_close(
        last,
        lock_date if lock_date is not None and lock_date < last.replace(day=1) else None,
        balances.first_day(organization_id),
        organizations.financial_years(organization_id),
        organizations.today(organization_id, now),
    )


def read(organization_id: str, period: str, now: datetime) -> CloseRecord:
    """Read the close of a month, or raise YearBetweenError or PeriodOpenError."""
    days = days_of(organization_id, period, now)
    cut_off = cut_offs.of_period(organization_id, days.first, days.last)
    found = steps.of_period(organization_id, days, cut_off)
    return CloseRecord(period, days.first, days.last, found, cut_off)
