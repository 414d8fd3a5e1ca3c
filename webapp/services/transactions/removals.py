"""Removals by the bank: a line leaves the books with its draft, and a posted entry stays until somebody voids it."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import IN_BOOKS
from webapp.models import FeedAccount, JournalEntry, Posting, Transaction, of_same_organization
from webapp.queries.common.portions import ids_where, portions
from webapp.services.audit import updates
from webapp.services.transactions import bank_changes, clearing, unpairing


def remove(feed_account: FeedAccount, lines: Sequence[Transaction], *, now: datetime) -> set[int]:
    """Remove lines that the bank removed: their drafts are deleted, a posted entry stays until somebody voids it.

    Answers the lines whose entry stays.
    """
    removed = [line for line in lines if line.status in (*IN_BOOKS, "PENDING")]
    of_organization = of_same_organization(Transaction, feed_account)
    for portion in portions([line.id for line in removed]):
        leaving = sa.select(Transaction.id).where(of_organization, Transaction.id.in_(portion))
        unpairing.bulk_unpair(leaving, now=now)
    entry_ids = {line.journal_entry_id for line in removed if line.journal_entry_id is not None}
    is_draft = _drafts_among(feed_account.organization_id, entry_ids)
    for line in removed:
        if line.journal_entry_id in is_draft:
            line.journal_entry_id = None
        if line.journal_entry_id is None:
            line.status = "REMOVED"
        else:
            # What its entry is part of, an opening balance for instance, asks what the line was then.
            bank_changes.change_status(line, "REMOVED", now=now)
    posted = {line.id for line in removed if line.journal_entry_id is not None}
    removed_ids = [line.id for line in removed]
    db.session.flush()
    _delete_drafts(feed_account.organization_id, is_draft, entry_ids)
    for portion in portions(removed_ids):
        clearing.unclear_lines(feed_account.organization_id, portion)
    return posted


def _drafts(organization_id: str) -> sa.Select[int]:
    return sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.status == "DRAFT"
    )


def _drafts_among(organization_id: str, entry_ids: set[int]) -> set[int]:
    return ids_where(_drafts(organization_id), JournalEntry.id, entry_ids)


def _delete_drafts(organization_id: str, draft_ids: set[int], entry_ids: set[int]) -> None:
    """Delete drafts and the markers of posted entries."""
    markers = ids_where(_drafts(organization_id), JournalEntry.corrects_id, entry_ids - draft_ids)
    doomed = draft_ids | markers
    for portion in portions(doomed):
        updates.touch_documents_of(organization_id, portion)
        for model, column in ((Posting, Posting.journal_entry_id), (JournalEntry, JournalEntry.id)):
            db.session.execute(
                sa.delete(model)
                .where(model.organization_id == organization_id, column.in_(portion))
                .execution_options(synchronize_session=False)
            )
    db.session.expire_all()
