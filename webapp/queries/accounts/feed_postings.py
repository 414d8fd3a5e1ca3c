"""Postings on the ledger accounts of bank feeds, and the entries among them that come from no line of the feed."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.functions import leakproof_coalesce
from webapp.models import FeedAccount, JournalEntry, Posting, of_same_organization, refers_to


def outside_entries(organization_id: str, *, among: sa.Select[Any] | None = None) -> sa.Subquery:
    """Select the POSTED entries on a feed's account that come from no line of it: one row per feed account and entry.

    An entry's corrections are added to it; an entry whose sum is zero is no item. `among` selects the ids of entries
    to look at, where only some matter. A posting on a feed's account that names a line names one of that feed, as
    the account of a feed with posted lines stays the same; so these are found without looking at the lines.
    """
    root = orm.aliased(JournalEntry)
    amount = sa.func.sum(Posting.amount_minor)
    columns: dict[str, Any] = {
        "feed_account_id": FeedAccount.id,
        "journal_entry_id": root.id,
        "day": root.effective_on,
        "description": root.description,
        "status": root.status,
    }
    found: sa.Select[Any] = posted_to_feed_accounts(
        sa.select(*(column.label(name) for name, column in columns.items()), amount.label("amount_minor")),
        FeedAccount,
    )
    belongs_to = leakproof_coalesce(JournalEntry.corrects_id, JournalEntry.id)
    found = found.join(root, sa.and_(of_same_organization(root, JournalEntry), root.id == belongs_to))
    found = found.where(
        FeedAccount.organization_id == organization_id,
        Posting.transaction_id.is_(None),
        JournalEntry.status == "POSTED",
        # A posted entry has a number: PostgreSQL, where it expects few of them, finds them by it among many drafts.
        JournalEntry.number.is_not(None),
        root.status == "POSTED",
        root.voids_id.is_(None),
    )
    if among is not None:
        found = found.where(root.id.in_(among))
    return found.group_by(*columns.values()).having(amount != 0).subquery()


def posted_to_feed_accounts(statement: sa.Select[Any], start: Any) -> sa.Select[Any]:
    """Join feed accounts with the postings on their ledger accounts, in the feed's own currency."""
    is_on_account = sa.and_(
        of_same_organization(Posting, FeedAccount),
        Posting.account_id == FeedAccount.account_id,
        Posting.currency == FeedAccount.currency,
    )
    statement = statement.select_from(start)
    if start is not FeedAccount:
        statement = statement.join(FeedAccount, refers_to(start.feed_account_id, FeedAccount))
    is_its_entry = refers_to(Posting.journal_entry_id, JournalEntry)
    return statement.join(Posting, is_on_account).join(JournalEntry, is_its_entry)


def is_line_of(line: Any, posting: Any, feed_account: Any) -> sa.ColumnElement[bool]:
    """Build the condition that a posting comes from a line of a feed account."""
    return sa.and_(refers_to(posting.transaction_id, line), line.feed_account_id == feed_account.id)
