"""Documents that somebody declined for a bank line or an entry, so that they are not offered there again."""

from datetime import datetime

from webapp.database.sessions import db
from webapp.ledger.canonical import camel
from webapp.ledger.references import Kind, Ref
from webapp.models import DeclinedRelation, Document
from webapp.queries.journal import attachments
from webapp.services.audit import titles, updates
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents.relations import KINDS, owner_name


def decline(document: Document, name: str, other_id: int, *, actor: Actor, now: datetime) -> None:
    """Keep that a document does not belong to a line or an entry; `name` is the column that `other_id` goes to.

    A repeat changes nothing. Raises UnknownReferenceError.
    """
    payload, target = {camel(name): Ref(KINDS[name], other_id)}, ("document", document.id)
    with act(actor, now, "decline_document", target, payload=payload) as doing:
        doing.title = f"Declined {titles.of_document(document)} for {owner_name(document, name, other_id)}"
        if attachments.declined(document, name, other_id) is not None:
            doing.nothing_to_do()
            return
        declined = DeclinedRelation(
            organization_id=document.organization_id,
            document_id=document.id,
            created_at=now,
            **{name: other_id},
        )
        db.session.add(declined)
        updates.touch(Kind.DOCUMENT, [document.id])
        db.session.flush()
        doing.after = {**payload}


def withdraw(document: Document, name: str, other_id: int, *, actor: Actor, now: datetime) -> None:
    """Let a document be offered again where somebody declined it; a repeat changes nothing."""
    payload, target = {camel(name): Ref(KINDS[name], other_id)}, ("document", document.id)
    with act(actor, now, "offer_document_again", target, payload=payload) as doing:
        owner = owner_name(document, name, other_id)
        doing.title = f"Offered {titles.of_document(document)} again for {owner}"
        declined = attachments.declined(document, name, other_id)
        if declined is None:
            doing.nothing_to_do()
            return
        doing.before = {**payload}
        db.session.delete(declined)
        updates.touch(Kind.DOCUMENT, [document.id])
        db.session.flush()
