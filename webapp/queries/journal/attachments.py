"""Queries on the relations of documents to lines and entries."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.canonical import camel
from webapp.ledger.money import Money
from webapp.models import DeclinedRelation, Document, DocumentRelation, JournalEntry, Posting, refers_to
from webapp.queries.common.among import among
from webapp.queries.common.made_once import made_once


@dataclass(frozen=True, slots=True)
class AttachedDocument:
    """A document of a line or an entry, as it is listed there; its total is None where it states none.

    `owner` is the form's name of the id of the line or entry.
    """

    id: int
    label: str
    total: Money | None
    owner: str
    owner_id: int


def between(document: Document, name: str, other_id: int) -> DocumentRelation | None:
    """Find the relation of a document to a line or an entry; `name` is the column that `other_id` is of."""
    found: DocumentRelation | None = db.session.scalar(_pair(DocumentRelation, document, name, other_id))
    return found


def declined(document: Document, name: str, other_id: int) -> DeclinedRelation | None:
    """Find what keeps that a document does not belong to a line or an entry; `name` is as above."""
    found: DeclinedRelation | None = db.session.scalar(_pair(DeclinedRelation, document, name, other_id))
    return found


def declined_of(document: Document) -> list[DeclinedRelation]:
    """List what a document was declined for, the oldest first."""
    model = DeclinedRelation
    found = sa.select(model).where(refers_to(model.document_id, document)).order_by(model.id)
    return list(db.session.scalars(found))


def _pair(model: Any, document: Document, name: str, other_id: int) -> sa.Select[Any]:
    return sa.select(model).where(refers_to(model.document_id, document), getattr(model, name) == other_id)


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


def of_lines(organization_id: str, line_ids: Collection[int]) -> dict[int, list[AttachedDocument]]:
    """List the documents of lines that have any, the oldest relation first."""
    found: dict[int, list[AttachedDocument]] = {}
    for each in _attached(organization_id, "transaction_id", line_ids):
        found.setdefault(each.owner_id, []).append(each)
    return found


def documents_of_entry(entry: JournalEntry) -> list[AttachedDocument]:
    """List the documents of an entry and of the bank lines that have a leg in it, the oldest relations first."""
    lines = {each.transaction_id for each in entry.postings if each.transaction_id is not None}
    of_itself = _attached(entry.organization_id, "journal_entry_id", [entry.id])
    return [*of_itself, *_attached(entry.organization_id, "transaction_id", lines)]


def _attached(organization_id: str, name: str, owner_ids: Collection[int]) -> list[AttachedDocument]:
    rows = db.session.execute(*_documents_by(name)(organization_id, owner_ids)) if owner_ids else ()
    return [
        AttachedDocument(each.id, each.label, each.total, camel(name), owner_id) for owner_id, each in rows
    ]


@cache
def _documents_by(name: str) -> Callable[[str, Collection[int]], tuple[sa.Select[Any], dict[str, Any]]]:
    owner = getattr(DocumentRelation, name)

    @made_once
    def statement(organization_id: str, owner_ids: Collection[int]) -> sa.Select[Any]:
        return (
            sa.select(owner, Document)
            .join(Document, refers_to(DocumentRelation.document_id, Document))
            .where(DocumentRelation.organization_id == organization_id, owner.in_(owner_ids))
            .order_by(DocumentRelation.id)
            .options(orm.defer(Document.text))
        )

    return statement


def of_entry(organization_id: str, entry_id: int) -> list[int]:
    """List the ids of the relations to an entry, and to the bank lines that have a leg in it."""
    return list(db.session.scalars(*_of_entry(organization_id, entry_id)))


@made_once
def _of_entry(organization_id: str, entry_id: int) -> sa.Select[Any]:
    lines = sa.select(Posting.transaction_id).where(
        Posting.organization_id == organization_id,
        Posting.journal_entry_id == entry_id,
        Posting.transaction_id.is_not(None),
    )
    return (
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


def documents_of(
    organization_id: str, line_ids: Collection[int], entry_ids: Collection[int]
) -> tuple[dict[int, Document], dict[int, Document]]:
    """Give the first document of each line, and of each entry itself, that has any."""
    rows = db.session.execute(*_first_documents(organization_id, line_ids, entry_ids)).all()
    of_lines = {row.transaction_id: row.Document for row in rows if row.transaction_id is not None}
    of_entries = {row.journal_entry_id: row.Document for row in rows if row.journal_entry_id is not None}
    return of_lines, of_entries


@made_once
def _first_documents(
    organization_id: str, line_ids: Collection[int], entry_ids: Collection[int]
) -> sa.Select[Any]:
    relation = DocumentRelation
    columns: list[Any] = [relation.id, relation.transaction_id, relation.journal_entry_id, Document]
    return (
        sa.select(*columns)
        .join(Document, refers_to(relation.document_id, Document))
        .where(
            relation.organization_id == organization_id,
            sa.or_(among(relation.transaction_id, line_ids), among(relation.journal_entry_id, entry_ids)),
        )
        .order_by(relation.id.desc())
        .options(orm.defer(Document.text))
    )
