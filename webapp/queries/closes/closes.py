"""The close of a month as it stands: its steps, judged anew on each read, its cut-off, and what it froze."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.closing.closes import CloseState, StepState, month_named, period_to_close
from webapp.ledger.closing.documents import ChangedAccount, FigureMove
from webapp.ledger.periods import Period, month_end
from webapp.models import Close, CloseMark, JournalEntry
from webapp.queries.access import organizations
from webapp.queries.closes import balance_proofs, documents, marks, reviews, steps
from webapp.queries.closes.documents import CloseAct
from webapp.queries.closes.steps import CloseStep, Looked
from webapp.queries.journal import cut_offs
from webapp.queries.journal.cut_offs import CutOff


@dataclass(frozen=True, slots=True)
class CloseRecord:
    """The close of a month, from the day after the last close to the month's end.

    What was closed has a verdict, the figures and accounts that changed since, the acts that changed them, and what
    came late.
    """

    period: str
    from_: date
    to: date
    status: CloseState
    steps: Sequence[CloseStep]
    cut_off: CutOff
    looked: Looked
    row: Close | None = None
    verdict: str | None = None
    moved: Sequence[FigureMove] = ()
    accounts: Sequence[ChangedAccount] = ()
    acts: Sequence[CloseAct] = ()
    late: CutOff | None = None

    @property
    def digest(self) -> str | None:
        """The digest of what was prepared, or closed."""
        return None if self.row is None else self.row.digest

    @property
    def prepared_by(self) -> str | None:
        """The name of who prepared it."""
        return None if self.row is None else self.row.prepared_by.get("name")

    @property
    def prepared_at(self) -> datetime | None:
        """The instant at which it was prepared."""
        return None if self.row is None else self.row.prepared_at

    @property
    def approved_by(self) -> str | None:
        """The name of who approved it."""
        return None if self.row is None else (self.row.approved_by or {}).get("name")

    @property
    def approved_at(self) -> datetime | None:
        """The instant at which it was approved."""
        return None if self.row is None else self.row.approved_at

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


def newest_of(organization_id: str, last: date) -> Close | None:
    """Find the newest close of the month that ends on a day, reopened or not."""
    statement = sa.select(Close).where(Close.organization_id == organization_id, Close.ends_on == last)
    return db.session.scalar(statement.order_by(Close.id.desc()).limit(1))


def closed_before(organization_id: str, day: date = date.max) -> Close | None:
    """Find the last close in force that ends before a day."""
    in_force = Close.organization_id == organization_id, Close.status == "CLOSED", Close.ends_on < day
    return db.session.scalar(sa.select(Close).where(*in_force).order_by(Close.ends_on.desc()).limit(1))


def days_of(organization_id: str, period: str, now: datetime) -> Period:
    """Give the days of the close of a month, or raise YearBetweenError or PeriodOpenError."""
    last = month_named(period)
    return period_to_close(
        last,
        _closed_until(organization_id, last),
        _first_entry(organization_id, date.min),
        organizations.financial_years(organization_id),
        organizations.today(organization_id, now),
    )


def next_month(organization_id: str, today: date) -> date:
    """Give the last day of the first month with entries that is not closed, or of the last one that is over."""
    over = month_end(today.replace(day=1) - documents.DAY)
    closed = _closed_until(organization_id, date.max)
    first = _first_entry(organization_id, closed or date.min)
    return over if first is None else min(over, month_end(first))


def _closed_until(organization_id: str, before: date) -> date | None:
    """Give the last day that is closed before a day: by a close, or else by the lock."""
    close = closed_before(organization_id, before)
    return organizations.get(organization_id).lock_date if close is None else close.ends_on


def _first_entry(organization_id: str, after: date) -> date | None:
    """Find the day of the first entry after a day; an opening balance is of the day before books begin."""
    statement = sa.select(JournalEntry.effective_on).where(
        JournalEntry.organization_id == organization_id,
        JournalEntry.effective_on > after,
        JournalEntry.source != "opening",
    )
    return db.session.scalar(statement.order_by(JournalEntry.effective_on, JournalEntry.id).limit(1))


def _looked(organization_id: str, days: Period, ticked: Mapping[tuple[str, str], CloseMark]) -> Looked:
    asked = marks.policy(organization_id)
    return Looked(
        asked.expenses_from_minor is not None or asked.manual_from_minor is not None,
        reviews.without_document(organization_id, days, asked),
        reviews.changes(organization_id, days, asked, ticked),
        {int(about) for code, about in ticked if code == "cut_off" and about.isdecimal()},
        balance_proofs.of_day(organizations.get(organization_id), days.last),
    )


def read(organization_id: str, period: str, now: datetime) -> CloseRecord:
    """Read the close of a month, or raise YearBetweenError or PeriodOpenError."""
    row = newest_of(organization_id, month_named(period))
    is_closed = row is not None and row.status == "CLOSED"
    days = Period(row.starts_on, row.ends_on) if row and is_closed else days_of(organization_id, period, now)
    cut_off = replace(
        cut_offs.of_period(organization_id, days.first, days.last),
        to_accrue=cut_offs.supplied(organization_id, days.first, days.last),
    )
    ticked = marks.of_period(organization_id, period)
    looked = _looked(organization_id, days, ticked)
    found = steps.of_period(organization_id, days, cut_off, looked)
    found += marks.own_of_month(organization_id, days.last, ticked)
    status = CloseState.OPEN if row is None else CloseState(row.status)
    record = CloseRecord(period, days.first, days.last, status, found, cut_off, looked, row)
    if row is None or status is CloseState.REOPENED:
        return record
    frozen = json.loads(row.document)
    record = replace(record, steps=marks.with_accepted(found, frozen["accepted"], row))
    if not is_closed:
        return record
    judged = documents.compare(organization_id, frozen, days)
    return replace(
        record,
        verdict=judged.verdict,
        moved=judged.moved,
        accounts=judged.accounts,
        acts=documents.acts_since(row, frozen, judged),
        late=cut_offs.of_period(organization_id, days.first, days.last, after=int(frozen["lastNumber"])),
    )
