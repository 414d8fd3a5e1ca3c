"""Attaching documents to bank lines and entries, and detaching them, without changing either."""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from webapp.database.sessions import db
from webapp.ledger.canonical import camel
from webapp.ledger.references import Kind, Ref
from webapp.models import DeclinedRelation, Document, DocumentRelation, JournalEntry, Transaction
from webapp.queries.common import lookups
from webapp.queries.journal import attachments
from webapp.services.audit import titles, updates
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act

MODELS: Mapping[str, type[Transaction | JournalEntry]] = {
    "transaction_id": Transaction,
    "journal_entry_id": JournalEntry,
}
KINDS: Mapping[str, Kind] = {"transaction_id": Kind.TRANSACTION, "journal_entry_id": Kind.JOURNAL_ENTRY}


class Related(NamedTuple):
    """A relation, and whether it is new."""

    relation: DocumentRelation
    is_new: bool


def relate(
    document: Document,
    name: str,
    other_id: int,
    *,
    is_automatic: bool = False,
    actor: Actor,
    now: datetime,
) -> Related:
    """Attach a document to a line or an entry; `name` is the column that `other_id` goes to.

    What is attached already stays so; who attaches what was declined takes that back. Raises UnknownReferenceError.
    """
    payload, target = {camel(name): Ref(KINDS[name], other_id)}, ("document", document.id)
    title = f"Attached {titles.of_document(document)}"
    with act(actor, now, "relate_document", target, title=title, payload=payload) as doing:
        doing.title = f"Attached {titles.of_document(document)} to {owner_name(document, name, other_id)}"
        existing = attachments.between(document, name, other_id)
        if existing is not None:
            doing.nothing_to_do()
            return Related(existing, is_new=False)
        relation = DocumentRelation(
            organization_id=document.organization_id,
            document_id=document.id,
            is_automatic=is_automatic,
            created_at=now,
            **{name: other_id},
        )
        db.session.add(relation)
        declined = attachments.declined(document, name, other_id)
        if declined is not None:
            doing.before = {"isDeclined": True}
            db.session.delete(declined)
        updates.touch(Kind.DOCUMENT, [document.id])
        db.session.flush()
        doing.after = {"relationId": Ref(Kind.DOCUMENT_RELATION, relation.id), **payload}
        doing.result = {"documentRelationIds": [doing.after["relationId"]]}
    return Related(relation, is_new=True)


def unrelate(
    document: Document,
    name: str,
    other_id: int,
    *,
    declines: bool = False,
    actor: Actor,
    now: datetime,
) -> None:
    """Detach a document from a line or an entry, whether it was attached or not; raises UnknownReferenceError.

    What was attached by itself is declined with it, or the next change of the document would attach it again.
    """
    payload, target = {camel(name): Ref(KINDS[name], other_id)}, ("document", document.id)
    title = f"Detached {titles.of_document(document)}"
    with act(actor, now, "unrelate_document", target, title=title, payload=payload) as doing:
        doing.title = f"Detached {titles.of_document(document)} from {owner_name(document, name, other_id)}"
        relation = attachments.between(document, name, other_id)
        if relation is None:
            doing.nothing_to_do()
            return
        doing.before = {"relationId": Ref(Kind.DOCUMENT_RELATION, relation.id), **payload}
        db.session.delete(relation)
        if (declines or relation.is_automatic) and attachments.declined(document, name, other_id) is None:
            db.session.add(
                DeclinedRelation(
                    organization_id=document.organization_id,
                    document_id=document.id,
                    created_at=now,
                    **{name: other_id},
                )
            )
            doing.after = {"isDeclined": True}
        updates.touch(Kind.DOCUMENT, [document.id])
        db.session.flush()


def owner_name(document: Document, name: str, other_id: int) -> str:
    """Name the line or entry, or raise UnknownReferenceError."""
    other = lookups.refer(MODELS[name], document.organization_id, other_id, camel(name))
    return other.label if isinstance(other, Transaction) else titles.of_entry(other)
