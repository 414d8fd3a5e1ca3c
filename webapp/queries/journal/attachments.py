"""Queries on the relations of documents to lines and entries."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.models import Document, DocumentRelation, Posting, refers_to


def between(document: Document, name: str, other_id: int) -> DocumentRelation | None:
    """Find the relation of a document to a line or an entry; `name` is the column that `other_id` is of."""
    return db.session.scalar(
        sa.select(DocumentRelation).where(
            refers_to(DocumentRelation.document_id, document),
            getattr(DocumentRelation, name) == other_id,
        )
    )


def of_documents(organization_id: str, document_ids: Collection[int]) -> dict[int, list[DocumentRelation]]:
    """List the relations of some documents by document, the oldest first."""
    found: dict[int, list[DocumentRelation]] = {document_id: [] for document_id in document_ids}
    rows = db.session.scalars(
        sa.select(DocumentRelation)
        .where(
            DocumentRelation.organization_id == organization_id,
            DocumentRelation.document_id.in_(document_ids),
        )
        .order_by(DocumentRelation.id)
    )
    for row in rows:
        found[row.document_id].append(row)
    return found


def of_entry(organization_id: str, entry_id: int) -> list[int]:
    """List the ids of the relations to an entry, and to the bank lines that have a leg in it."""
    lines = sa.select(Posting.transaction_id).where(
        Posting.organization_id == organization_id,
        Posting.journal_entry_id == entry_id,
        Posting.transaction_id.is_not(None),
    )
    return list(
        db.session.scalars(
            sa.select(DocumentRelation.id)
            .where(
                DocumentRelation.organization_id == organization_id,
                sa.or_(
                    DocumentRelation.journal_entry_id == entry_id,
                    DocumentRelation.transaction_id.in_(lines),
                ),
            )
            .order_by(DocumentRelation.id)
        )
    )


def documents_of(
    organization_id: str, line_ids: Collection[int], entry_ids: Collection[int]
) -> tuple[dict[int, Document], dict[int, Document]]:
    """Give the first document of each line, and of each entry itself, that has any."""
    rows: Sequence[Any] = db.session.execute(
        sa.select(DocumentRelation, Document)
        .join(Document, refers_to(DocumentRelation.document_id, Document))
        .where(
            DocumentRelation.organization_id == organization_id,
            sa.or_(
                DocumentRelation.transaction_id.in_(line_ids),
                DocumentRelation.journal_entry_id.in_(entry_ids),
            ),
        )
        .order_by(DocumentRelation.id.desc())
    ).all()
    of_lines = {relation.transaction_id: each for relation, each in rows if relation.transaction_id}
    of_entries = {relation.journal_entry_id: each for relation, each in rows if relation.journal_entry_id}
    return of_lines, of_entries
