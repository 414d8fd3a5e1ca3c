"""Bank lines and their entries: each booked line has one, whose bank leg has the line's amount and account."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from webapp.ledger.codes import IN_BOOKS
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Organization,
    Posting,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.checks.violations import Violation, entry, found, line
from webapp.queries.journal import lock_dates


def _lines_where(*wrong: sa.ColumnElement[bool]) -> sa.Executable:
    return (
        sa.select(
            Transaction.organization_id,
            Transaction.id.label("line_id"),
            Transaction.status,
            Transaction.journal_entry_id.label("entry_id"),
        )
        .outerjoin(JournalEntry, refers_to(Transaction.journal_entry_id, JournalEntry))
        .where(*wrong)
        .order_by(Transaction.id)
    )


def _line_and_entry(row: Any) -> dict[str, object]:
    return {"transactionId": row.line_id, "journalEntryId": row.entry_id}


def without_entry() -> Iterable[Violation]:
    """Find booked and set-aside lines that have no entry."""
    return found(
        "line_without_entry",
        _lines_where(Transaction.status.in_(IN_BOOKS), Transaction.journal_entry_id.is_(None)),
        lambda row: f"Line {row.line_id} is {row.status} and has no entry.",
        line,
    )


def with_entry() -> Iterable[Violation]:
    """Find lines that should have no entry: pending, deleted, and removed ones unless theirs is posted."""
    is_posted = sa.and_(Transaction.status == "REMOVED", JournalEntry.status == "POSTED")
    return found(
        "line_with_entry",
        _lines_where(
            Transaction.status.in_(("PENDING", "REMOVED", "DELETED")),
            Transaction.journal_entry_id.is_not(None),
            sa.func.coalesce(is_posted, sa.false()).is_(False),
        ),
        lambda row: f"Line {row.line_id} is {row.status} and has entry {row.entry_id}.",
        _line_and_entry,
    )


def with_another_kind_of_entry() -> Iterable[Violation]:
    """Find lines whose entry is voided, or none of a bank feed."""
    return found(
        "line_names_wrong_entry",
        _lines_where(
            sa.or_(
                JournalEntry.status == "VOIDED",
                JournalEntry.source != "bank_feed",
                JournalEntry.corrects_id.is_not(None),
            )
        ),
        lambda row: (
            f"Line {row.line_id} names entry {row.entry_id}, which is not the entry of a line in force."
        ),
        _line_and_entry,
    )


def bank_legs() -> Iterable[Violation]:
    """Find lines whose effective bank leg differs from the line: in amount, account or currency.

    The amount of a removed line is not compared: the bank may have changed it before, and its entry is to be voided.
    """
    legs = _bank_legs()
    agrees = sa.and_(
        sa.or_(legs.c.amount_minor == Transaction.amount_minor, Transaction.status == "REMOVED"),
        legs.c.account_id == FeedAccount.account_id,
        legs.c.last_account_id == FeedAccount.account_id,
        legs.c.currency == Transaction.currency,
        legs.c.last_currency == Transaction.currency,
    )
    of_line = sa.and_(
        refers_to(legs.c.transaction_id, Transaction),
        legs.c.original_id == Transaction.journal_entry_id,
    )
    return found(
        "bank_leg_differs",
        sa.select(
            Transaction.organization_id,
            Transaction.id.label("line_id"),
            Transaction.journal_entry_id.label("entry_id"),
        )
        .join(FeedAccount, refers_to(Transaction.feed_account_id, FeedAccount))
        .outerjoin(legs, of_line)
        .where(
            Transaction.journal_entry_id.is_not(None),
            sa.func.coalesce(agrees, sa.false()).is_(False),
            ~_agrees_when_confirmed(),
        )
        .order_by(Transaction.id),
        lambda row: f"Entry {row.entry_id} has no bank leg that matches line {row.line_id}.",
        _line_and_entry,
    )


def _agrees_when_confirmed() -> sa.ColumnElement[bool]:
    """Build the condition that a posted entry has an open marker with the changed amount of its line."""
    return (
        sa.exists()
        .where(
            of_same_organization(JournalEntry, Transaction),
            JournalEntry.corrects_id == Transaction.journal_entry_id,
            JournalEntry.status == "DRAFT",
            refers_to(Posting.journal_entry_id, JournalEntry),
            Posting.is_bank_leg,
            Posting.transaction_id == Transaction.id,
            Posting.amount_minor == Transaction.amount_minor,
        )
        .correlate(Transaction)
    )


def _bank_legs() -> sa.Subquery:
    """Add up the bank legs of each line in an entry and its posted corrections."""
    original_id = sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id).label("original_id")
    is_marker = sa.and_(JournalEntry.status == "DRAFT", JournalEntry.corrects_id.is_not(None))
    return (
        sa.select(
            Posting.organization_id,
            Posting.transaction_id,
            original_id,
            sa.func.sum(Posting.amount_minor).label("amount_minor"),
            sa.func.min(Posting.account_id).label("account_id"),
            sa.func.max(Posting.account_id).label("last_account_id"),
            sa.func.min(Posting.currency).label("currency"),
            sa.func.max(Posting.currency).label("last_currency"),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(Posting.is_bank_leg, Posting.transaction_id.is_not(None), ~is_marker)
        .group_by(Posting.organization_id, Posting.transaction_id, original_id)
        .subquery()
    )


def entries_of_no_line() -> Iterable[Violation]:
    """Find entries of the bank feed, drafts or in force, that no line names."""
    named = sa.exists().where(refers_to(Transaction.journal_entry_id, JournalEntry))
    return found(
        "entry_without_line",
        sa.select(JournalEntry.organization_id, JournalEntry.id.label("entry_id")).where(
            JournalEntry.source == "bank_feed", JournalEntry.status.in_(("DRAFT", "POSTED")), ~named
        ),
        lambda row: f"Entry {row.entry_id} comes from the bank feed, and no line names it.",
        entry,
    )


def currencies() -> Iterable[Violation]:
    """Find lines in another currency than their feed account's."""
    return found(
        "line_currency",
        sa.select(Transaction.organization_id, Transaction.id.label("line_id"), Transaction.currency)
        .join(FeedAccount, refers_to(Transaction.feed_account_id, FeedAccount))
        .where(Transaction.currency != FeedAccount.currency),
        lambda row: f"Line {row.line_id} is in {row.currency}, and its account is not.",
        line,
    )


def drafts_in_locked_periods() -> Iterable[Violation]:
    """Find drafts dated in a closed period; correction markers and the drafts of set-aside lines are free."""
    return found(
        "draft_in_locked_period",
        sa.select(JournalEntry.organization_id, JournalEntry.id.label("entry_id"), JournalEntry.effective_on)
        .join(Organization, Organization.id == JournalEntry.organization_id)
        .where(JournalEntry.effective_on <= Organization.lock_date, lock_dates.needs_open_day()),
        lambda row: f"Draft {row.entry_id} is dated {row.effective_on}, in a locked period.",
        entry,
    )


CHECKS = (
    without_entry,
    with_entry,
    with_another_kind_of_entry,
    bank_legs,
    entries_of_no_line,
    currencies,
    drafts_in_locked_periods,
)
