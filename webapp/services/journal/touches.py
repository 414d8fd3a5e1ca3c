"""Updating `updated_at` of what hangs on an entry (queries/common/changed_since.py lists it)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.db import db
from webapp.models import Document, DocumentRelation, JournalEntry, Transaction
from webapp.queries.common.portions import portions

# With a condition on the organization beside the id, SQLite reads all rows of the organization: so rows are found by
# the id alone, and compared with the organization after that.


def touch_lines(organization_id: str, entry_ids: Collection[int], *, now: datetime) -> None:
    """Update the bank lines of some entries, or of the entries that these correct: drafts have no `updated_at`."""
    line = orm.aliased(Transaction)
    for portion in portions(entry_ids):
        # A correction has no line of its own: it is about the one of the entry that it corrects.
        entries = sa.select(sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id)).where(
            JournalEntry.organization_id == organization_id, JournalEntry.id.in_(portion)
        )
        db.session.execute(
            sa.update(Transaction)
            .where(
                Transaction.organization_id == organization_id,
                Transaction.id.in_(sa.select(line.id).where(line.journal_entry_id.in_(entries))),
            )
            .values(updated_at=now)
            .execution_options(synchronize_session=False)
        )


def touch_documents(organization_id: str, entry_ids: Collection[int], *, now: datetime) -> None:
    """Update the documents that are attached to some entries: each lists what it is attached to."""
    theirs = sa.select(DocumentRelation.document_id).where(DocumentRelation.journal_entry_id.in_(entry_ids))
    db.session.execute(
        sa.update(Document)
        .where(Document.organization_id == organization_id, Document.id.in_(theirs))
        .values(updated_at=now)
    )
