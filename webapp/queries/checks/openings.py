"""Keeping an account as new: what is set aside, and what the opening entry absorbs."""

from collections.abc import Iterable

import sqlalchemy as sa

from webapp.models import (
    FeedAccount,
    JournalEntry,
    Posting,
    Reconciliation,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.checks.violations import Violation, entry, found, line
from webapp.queries.reconciliation import openings


def _opens(*statuses: str) -> tuple[sa.ColumnElement[bool], ...]:
    """Build the condition that a reconciliation of some statuses keeps a line's account as new from a later day on."""
    return (
        of_same_organization(Reconciliation, Transaction),
        Reconciliation.feed_account_id == Transaction.feed_account_id,
        Reconciliation.status.in_(statuses),
        Reconciliation.keep_as_new.is_(True),
        Reconciliation.opening_date >= Transaction.booked_on,
    )


def set_aside_for_nothing() -> Iterable[Violation]:
    """Find lines that are set aside though nobody keeps their account as new from a later day on."""
    return found(
        "set_aside_without_opening",
        sa.select(Transaction.organization_id, Transaction.id.label("line_id")).where(
            Transaction.status == "SET_ASIDE", ~sa.exists().where(*_opens("DRAFT", "COMPLETED"))
        ),
        lambda row: (
            f"Line {row.line_id} is set aside, and its account has no opening balance on a later day."
        ),
        line,
    )


def booked_before_opening() -> Iterable[Violation]:
    """Find booked lines from before the day on which the books of their account begin."""
    return found(
        "booked_before_opening",
        sa.select(Transaction.organization_id, Transaction.id.label("line_id")).where(
            # Few accounts are kept as new, and only their lines are looked at one by one.
            Transaction.feed_account_id.in_(
                sa.select(Reconciliation.feed_account_id).where(Reconciliation.keep_as_new.is_(True))
            ),
            Transaction.status == "BOOKED",
            sa.exists().where(*_opens("COMPLETED")),
        ),
        lambda row: f"Line {row.line_id} is booked before the books of its account begin.",
        line,
    )


def opening_entries() -> Iterable[Violation]:
    """Find opening entries of banks without a standing proof, or with another status than their proof requires."""
    required = sa.case((Reconciliation.status == "COMPLETED", "POSTED"), else_="VOIDED")
    return found(
        "opening_without_proof",
        sa.select(JournalEntry.organization_id, JournalEntry.id.label("entry_id"))
        .outerjoin(
            Reconciliation,
            sa.and_(
                refers_to(Reconciliation.opening_entry_id, JournalEntry),
                Reconciliation.status != "DRAFT",
            ),
        )
        .where(
            JournalEntry.source == "opening",
            # What was moved in from other books has no leg of a bank.
            sa.exists().where(refers_to(Posting.journal_entry_id, JournalEntry), Posting.is_bank_leg),
            sa.or_(Reconciliation.id.is_(None), JournalEntry.status != required),
        ),
        lambda row: f"Entry {row.entry_id} opens an account, and belongs to no valid proof.",
        entry,
    )


def opening_balances() -> Iterable[Violation]:
    """Find standing openings whose absorbed postings no longer add up to the opening balance."""
    absorbed = _absorbed()
    return found(
        "opening_differs",
        sa.select(Reconciliation.organization_id, Reconciliation.id, absorbed.label("absorbed"))
        .join(FeedAccount, refers_to(Reconciliation.feed_account_id, FeedAccount))
        .where(
            Reconciliation.status == "COMPLETED",
            Reconciliation.keep_as_new,
            absorbed != Reconciliation.opening_balance_minor,
        ),
        lambda row: (
            f"The books before the opening of proof {row.id} no longer add up to its opening balance."
        ),
        lambda row: {"reconciliationId": row.id},
    )


def _absorbed() -> sa.ColumnElement[int]:
    """Add up what the opening of a reconciliation absorbed, its own entry among it, as the books have it now."""
    is_of_held_line = (
        sa.exists()
        .where(refers_to(Posting.transaction_id, Transaction), openings.held_line())
        .correlate(Posting, Reconciliation)
    )
    return sa.func.coalesce(
        sa.select(sa.func.sum(Posting.amount_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            of_same_organization(Posting, FeedAccount),
            Posting.account_id == FeedAccount.account_id,
            # A voided entry and its reversal leave nothing, also where the opening day lies between them.
            JournalEntry.status == "POSTED",
            JournalEntry.voids_id.is_(None),
            sa.or_(JournalEntry.effective_on <= Reconciliation.opening_date, is_of_held_line),
        )
        .correlate(FeedAccount, Reconciliation)
        .scalar_subquery(),
        0,
    )


CHECKS = (set_aside_for_nothing, booked_before_opening, opening_entries, opening_balances)
