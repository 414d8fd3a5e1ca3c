"""Saying when what hangs on an entry changed, for those who ask what changed since an instant (queries/changes.py)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime

import sqlalchemy as sa

from webapp.db import db
from webapp.models import Document, DocumentRelation, JournalEntry, Transaction
from webapp.queries.batches import batches


def of_lines(organization_id: str, entry_ids: Collection[int], *, now: datetime) -> None:
    """Say of the bank lines of some drafts, or of what these correct, that they changed: a draft tells no instant."""
    for portion in batches(entry_ids):
        corrected = sa.select(JournalEntry.corrects_id).where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.id.in_(portion),
            JournalEntry.corrects_id.is_not(None),
        )
        db.session.execute(
            sa.update(Transaction)
            .where(
                Transaction.organization_id == organization_id,
                sa.or_(
                    Transaction.journal_entry_id.in_(portion), Transaction.journal_entry_id.in_(corrected)
                ),
            )
            .values(updated_at=now)
            .execution_options(synchronize_session=False)
        )


def of_documents(organization_id: str, entry_ids: Collection[int], *, now: datetime) -> None:
    """Say of the documents that belong to some entries that they changed: each tells what it belongs to."""
    db.session.execute(
        sa.update(Document)
        .where(
            Document.organization_id == organization_id,
            Document.id.in_(
                sa.select(DocumentRelation.document_id).where(
                    DocumentRelation.organization_id == organization_id,
                    DocumentRelation.journal_entry_id.in_(entry_ids),
                )
            ),
        )
        .values(updated_at=now)
    )
