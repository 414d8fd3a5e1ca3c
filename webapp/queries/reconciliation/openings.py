"""Openings: the day on which the books of an account that is kept as new begin, and what its opening entry absorbs."""

from datetime import date, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS
from webapp.models import (
    FeedAccount,
    JournalEntry,
    LineChange,
    Posting,
    Reconciliation,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common.made_once import made_once


def opening_day(organization_id: str, feed_account_id: int) -> date | None:
    """Give the opening day of the standing proof or the open draft that keeps the account as new."""
    found: date | None = db.session.scalar(*_opening_day(organization_id, feed_account_id))
    return found


@made_once
def _opening_day(organization_id: str, feed_account_id: int) -> sa.Select[date | None]:
    return sa.select(sa.func.max(Reconciliation.opening_date)).where(
        Reconciliation.organization_id == organization_id,
        Reconciliation.feed_account_id == feed_account_id,
        Reconciliation.status.in_(("DRAFT", "COMPLETED")),
        Reconciliation.keep_as_new,
    )


def opening_day_of(statement: Any) -> sa.ScalarSelect[Any]:
    """Select the opening day of a statement's account, of the standing proof or the draft that keeps it as new."""
    first = orm.aliased(Reconciliation)
    return (
        sa.select(sa.func.max(first.opening_date))
        .where(
            of_same_organization(first, statement),
            first.feed_account_id == statement.feed_account_id,
            first.status.in_(("DRAFT", "COMPLETED")),
            first.keep_as_new,
        )
        .scalar_subquery()
    )


def state_of(line: Transaction) -> str:
    """Give the status of a booked line: BOOKED, or SET_ASIDE from before the books begin."""
    day = opening_day(line.organization_id, line.feed_account_id)
    return "SET_ASIDE" if day is not None and line.booked_on <= day else "BOOKED"


def held_line() -> sa.ColumnElement[bool]:
    """Build the condition that a line of the account of a completed opening was set aside when that was completed.

    The opening entry holds the postings of such lines. The bank may have moved a line to the other side of the opening
    day since, taken it away or sent it again: that changes what is set aside, and not what the entry holds.
    """
    day_then = sa.func.coalesce(_before("bookedOn"), sa.cast(Transaction.booked_on, sa.String))
    return sa.and_(
        Transaction.feed_account_id == Reconciliation.feed_account_id,
        sa.func.coalesce(_before("status"), Transaction.status).in_(("SET_ASIDE", "BOOKED")),
        Transaction.created_at <= Reconciliation.completed_at,
        day_then <= sa.cast(Reconciliation.opening_date, sa.String),
    )


def _before(name: str) -> sa.ScalarSelect[str]:
    """Select what a field of a line was when a reconciliation was completed; null where the bank left it since."""
    before = LineChange.before[name].as_string()
    return (
        sa.select(before)
        .where(
            refers_to(LineChange.transaction_id, Transaction),
            LineChange.created_at > Reconciliation.completed_at,
            before.is_not(None),
        )
        .order_by(LineChange.id)
        .limit(1)
        .correlate(Transaction, Reconciliation)
        .scalar_subquery()
    )


def day_before_first_line(account: FeedAccount) -> date | None:
    """Give the day before the first line that the bank booked, if it booked any."""
    first = db.session.scalar(
        sa.select(sa.func.min(Transaction.booked_on)).where(
            refers_to(Transaction.feed_account_id, account),
            Transaction.status.in_(IN_BOOKS),
        )
    )
    return None if first is None else first - timedelta(days=1)


def absorbed_minor(account: FeedAccount, day: date) -> int:
    """Add up what an opening entry of a day absorbs, in minor units of the account's currency.

    That is what is posted to its ledger account by that day, and the postings of set-aside lines whatever
    theirs. A voided entry and its reversal leave nothing, on whichever side of the day each of them lies.
    """
    is_set_aside = sa.and_(Transaction.feed_account_id == account.id, Transaction.status == "SET_ASIDE")
    total = db.session.scalar(
        sa.select(sa.func.sum(Posting.amount_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .outerjoin(Transaction, refers_to(Posting.transaction_id, Transaction))
        .where(
            of_same_organization(Posting, account),
            Posting.account_id == account.account_id,
            Posting.currency == account.currency,
            JournalEntry.status == "POSTED",
            JournalEntry.voids_id.is_(None),
            sa.or_(JournalEntry.effective_on <= day, is_set_aside),
        )
    )
    return int(total or 0)
