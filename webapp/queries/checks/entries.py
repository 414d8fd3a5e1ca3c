"""Posted entries: balanced in base and in their own currency, of two legs or more, mirrored, and posted by an act."""

from collections.abc import Iterable
from typing import Any

import sqlalchemy as sa

from webapp.ledger.journal.entries import MIN_LEGS
from webapp.models import Account, ActionRequest, JournalEntry, Organization, Posting, refers_to
from webapp.queries.checks.violations import Violation, entry, found

IS_POSTED = JournalEntry.status != "DRAFT"
SUM = sa.func.coalesce(sa.func.sum(Posting.amount_minor), 0)
SUM_BASE = sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0)


def _posted_with(*, having: sa.ColumnElement[bool]) -> sa.Executable:
    return (
        sa.select(
            JournalEntry.organization_id,
            JournalEntry.id.label("entry_id"),
            sa.func.count(Posting.id).label("legs"),
            SUM.label("amount"),
            SUM_BASE.label("base"),
        )
        .outerjoin(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(IS_POSTED)
        .group_by(JournalEntry.organization_id, JournalEntry.id)
        .having(having)
        .order_by(JournalEntry.id)
    )


def unbalanced_in_base() -> Iterable[Violation]:
    """Find posted entries whose mirrors do not add up to zero."""
    return found(
        "unbalanced_base",
        _posted_with(having=SUM_BASE != 0),
        lambda row: f"Entry {row.entry_id} is out of balance by {row.base} minor units of the base currency.",
        entry,
    )


def unbalanced_in_one_currency() -> Iterable[Violation]:
    """Find posted entries in one currency whose amounts do not add up to zero."""
    is_single = sa.func.count(Posting.currency.distinct()) == 1
    return found(
        "unbalanced_currency",
        _posted_with(having=sa.and_(is_single, SUM != 0)),
        lambda row: f"Entry {row.entry_id} is out of balance by {row.amount} minor units of its currency.",
        entry,
    )


def too_few_legs() -> Iterable[Violation]:
    """Find posted entries with fewer than two legs."""
    return found(
        "too_few_legs",
        _posted_with(having=sa.func.count(Posting.id) < MIN_LEGS),
        lambda row: f"Entry {row.entry_id} is posted and has {row.legs} legs.",
        entry,
    )


def _legs_where(*conditions: sa.ColumnElement[bool]) -> sa.Executable:
    return (
        sa.select(
            Posting.organization_id,
            JournalEntry.id.label("entry_id"),
            Posting.id.label("leg_id"),
            Posting.currency,
            Posting.base_currency,
            Account.currency.label("account_currency"),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(*conditions)
        .order_by(Posting.id)
    )


def _leg(row: Any) -> dict[str, object]:
    return {"journalEntryId": row.entry_id, "postingId": row.leg_id}


def unmirrored() -> Iterable[Violation]:
    """Find posted legs without an amount in the base currency."""
    return found(
        "mirror_missing",
        _legs_where(IS_POSTED, Posting.amount_base_minor.is_(None)),
        lambda row: f"Entry {row.entry_id} is posted, and its leg {row.leg_id} has no base amount.",
        _leg,
    )


def mirrored_otherwise() -> Iterable[Violation]:
    """Find posted legs in the base currency whose mirror is another amount."""
    return found(
        "mirror_differs",
        _legs_where(
            IS_POSTED,
            Posting.currency == Posting.base_currency,
            Posting.amount_base_minor != Posting.amount_minor,
        ),
        lambda row: (
            f"Leg {row.leg_id} of entry {row.entry_id} is in the base currency and mirrored otherwise."
        ),
        _leg,
    )


def other_base_currency() -> Iterable[Violation]:
    """Find entries and legs that are mirrored in another currency than their organization's."""
    statement = (
        sa.select(JournalEntry.organization_id, JournalEntry.id.label("entry_id"))
        .distinct()
        .join(Organization, Organization.id == JournalEntry.organization_id)
        .outerjoin(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            sa.or_(
                JournalEntry.base_currency != Organization.base_currency,
                Posting.base_currency != Organization.base_currency,
            )
        )
    )
    return found(
        "base_currency",
        statement,
        lambda row: f"Entry {row.entry_id} is kept in another base currency than its organization.",
        entry,
    )


def account_currency() -> Iterable[Violation]:
    """Find legs in another currency than their account takes.

    On an account in the base currency a leg without a rate waits in its own for its share. One that took other
    currencies is judged from the day after its `currency_from` on.
    """
    return found(
        "account_currency",
        _legs_where(
            Account.currency != Posting.currency,
            sa.or_(Account.currency != Posting.base_currency, Posting.amount_base_minor.is_not(None)),
            sa.or_(Account.currency_from.is_(None), JournalEntry.effective_on > Account.currency_from),
        ),
        lambda row: (
            f"Leg {row.leg_id} of entry {row.entry_id} is in {row.currency}; "
            f"its account takes {row.account_currency}."
        ),
        _leg,
    )


def without_act() -> Iterable[Violation]:
    """Find posted entries that no executed act posted."""
    # Joined, not "exists": beside an "or" PostgreSQL would read the acts again for each entry.
    is_executed = sa.func.coalesce(ActionRequest.status, "") == "EXECUTED"
    return found(
        "posted_by_nobody",
        sa.select(JournalEntry.organization_id, JournalEntry.id.label("entry_id"))
        .outerjoin(ActionRequest, refers_to(JournalEntry.action_request_id, ActionRequest))
        .where(IS_POSTED, sa.or_(~is_executed, JournalEntry.posted_at.is_(None))),
        lambda row: f"Entry {row.entry_id} is posted, and no action request says who did it.",
        entry,
    )


def without_number() -> Iterable[Violation]:
    """Find posted entries without a number, and drafts with one."""
    return found(
        "number_missing",
        sa.select(
            JournalEntry.organization_id, JournalEntry.id.label("entry_id"), IS_POSTED.label("is_posted")
        )
        .where(
            sa.or_(
                sa.and_(IS_POSTED, JournalEntry.number.is_(None)),
                sa.and_(~IS_POSTED, JournalEntry.number > 0),
            )
        )
        .order_by(JournalEntry.id),
        lambda row: (
            f"Entry {row.entry_id} is posted and has no number."
            if row.is_posted
            else f"Entry {row.entry_id} is a draft and has a number already."
        ),
        entry,
    )


def numbered_with_gaps() -> Iterable[Violation]:
    """Find posted entries whose number does not follow the one before it, from 1 in each organization."""
    previous = sa.func.lag(JournalEntry.number).over(
        partition_by=JournalEntry.organization_id, order_by=JournalEntry.number
    )
    before = sa.func.coalesce(previous, 0)
    rows = (
        sa.select(
            JournalEntry.organization_id,
            JournalEntry.id.label("entry_id"),
            JournalEntry.number,
            before.label("before"),
        )
        .where(IS_POSTED, JournalEntry.number.is_not(None))
        .subquery()
    )
    return found(
        "number_gap",
        sa.select(rows).where(rows.c.number != rows.c.before + 1).order_by(rows.c.entry_id),
        lambda row: f"Entry {row.entry_id} has the number {row.number}, which does not follow {row.before}.",
        entry,
    )


CHECKS = (
    without_number,
    numbered_with_gaps,
    unbalanced_in_base,
    unbalanced_in_one_currency,
    too_few_legs,
    unmirrored,
    mirrored_otherwise,
    other_base_currency,
    account_currency,
    without_act,
)
