"""Entries that close a year, whose legs on results count on retained earnings, and entries that adjust one."""

from collections import Counter
from dataclasses import dataclass
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.periods import Period
from webapp.models import COUNTING, Account, JournalEntry, Posting, refers_to

RESULT_TYPES = (AccountType.INCOME, AccountType.EXPENSE)


@dataclass(frozen=True, slots=True)
class ClosingLeg:
    """A leg of a closing entry, of its void or its correction."""

    posting_id: int
    account_id: int
    day: date
    base_minor: int
    is_of_result: bool


def legs(organization_id: str) -> list[ClosingLeg]:
    """List the legs of all closing entries, the earliest first."""
    rows = db.session.execute(
        sa.select(
            Posting.id,
            Posting.account_id,
            JournalEntry.effective_on,
            Posting.amount_base_minor,
            Account.type.in_(RESULT_TYPES),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.is_closing,
            JournalEntry.status.in_(COUNTING),
        )
        .order_by(JournalEntry.effective_on, Posting.id)
    )
    return [ClosingLeg(row[0], row[1], row[2], int(row[3] or 0), bool(row[4])) for row in rows]


@dataclass(frozen=True, slots=True)
class AdjustingLeg:
    """What adjusting entries of a day put on an account."""

    account_id: int
    day: date
    base_minor: int


def adjusting(organization_id: str, period: Period) -> list[AdjustingLeg]:
    """Add up what adjusting entries of a period put on accounts, by day."""
    rows = db.session.execute(
        sa.select(Posting.account_id, JournalEntry.effective_on, sa.func.sum(Posting.amount_base_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.is_adjusting,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on.between(period.first, period.last),
        )
        .group_by(Posting.account_id, JournalEntry.effective_on)
    )
    return [AdjustingLeg(account_id, day, int(minor or 0)) for account_id, day, minor in rows]


def moved(found: list[ClosingLeg], day: date, retained_id: int) -> Counter[int]:
    """Give what reports move between accounts at the close of a day: from results to retained earnings."""
    moves: Counter[int] = Counter()
    for leg in found:
        if leg.is_of_result and leg.day <= day:
            moves[leg.account_id] -= leg.base_minor
            moves[retained_id] += leg.base_minor
    return moves
