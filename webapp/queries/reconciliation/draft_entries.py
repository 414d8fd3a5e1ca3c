"""Entries that may be outstanding or in transit beside an open draft, found without reading the account's history.

A posted entry dated up to the statement whose line a proof cleared is left out: books and bank have it alike. What is
left lies in the months with lines that no proof cleared, comes from no line, or is dated after the statement.
"""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Posting,
    Reconciliation,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.accounts import balances
from webapp.queries.accounts.feed_postings import posted_to_feed_accounts
from webapp.queries.common.portions import portions
from webapp.queries.reconciliation.statement_items import first_open_month


def entries(draft: Reconciliation) -> Iterator[Sequence[int]]:
    """List the ids of entries that may matter beside a draft, a part at a time; among them are some that do not."""
    are_few = _posted_count(draft) < _open_count(draft)
    statements = (
        (_posted(draft),)
        if are_few
        else (
            _of_open_lines(draft),
            _of_no_line(draft),
            _posted(draft, after=draft.statement_date),
            _corrections_voided_after(draft),
        )
    )
    return portions({entry_id for statement in statements for entry_id in db.session.scalars(statement)})


def _open_count(draft: Reconciliation) -> int:
    counts = balances.unreconciled(draft.organization_id, [draft.feed_account_id])
    return counts.get(draft.feed_account_id, 0)


def _posted_count(draft: Reconciliation) -> int:
    # Entries are numbered from one on without a gap, so the newest number is how many were ever posted.
    newest = sa.select(sa.func.max(JournalEntry.number)).where(
        JournalEntry.organization_id == draft.organization_id
    )
    return db.session.scalar(newest) or 0


def _of_open_lines(draft: Reconciliation) -> sa.Select[Any]:
    """Select the posted entries of booked lines that no proof cleared, and of others of the same months."""
    return (
        sa.select(JournalEntry.id)
        .select_from(Transaction)
        .join(Posting, refers_to(Posting.transaction_id, Transaction))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            of_same_organization(Transaction, draft),
            Transaction.feed_account_id == draft.feed_account_id,
            Transaction.booked_on >= first_open_month(draft.organization_id, draft.feed_account_id),
            Transaction.status == "BOOKED",
            JournalEntry.status == "POSTED",
        )
    )


def _of_no_line(draft: Reconciliation) -> sa.Select[Any]:
    return posted_to_feed_accounts(sa.select(JournalEntry.id), FeedAccount).where(
        of_same_organization(FeedAccount, draft),
        FeedAccount.id == draft.feed_account_id,
        Posting.transaction_id.is_(None),
    )


def _posted(draft: Reconciliation, *, after: date | None = None) -> sa.Select[Any]:
    """Select the entries that were posted, all or those dated after a day, and what reversals among them void."""
    dated = [] if after is None else [JournalEntry.effective_on > after]
    return sa.select(sa.func.coalesce(JournalEntry.voids_id, JournalEntry.id)).where(
        of_same_organization(JournalEntry, draft), JournalEntry.number.is_not(None), *dated
    )


def _corrections_voided_after(draft: Reconciliation) -> sa.Select[Any]:
    """Select the corrections of entries that were voided with a date after the statement: one reversal voids all."""
    reversal = orm.aliased(JournalEntry)
    return (
        sa.select(JournalEntry.id)
        .select_from(reversal)
        .join(
            JournalEntry,
            sa.and_(
                of_same_organization(JournalEntry, reversal),
                JournalEntry.corrects_id == reversal.voids_id,
            ),
        )
        .where(
            of_same_organization(reversal, draft),
            reversal.effective_on > draft.statement_date,
            reversal.voids_id.is_not(None),
        )
    )
