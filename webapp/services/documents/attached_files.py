"""Files that become documents at once of what they belong to."""

from datetime import datetime
from hashlib import sha256

from webapp.models import Document
from webapp.queries.documents import documents as queried
from webapp.services.audit.act import Actor
from webapp.services.documents import documents, relations
from webapp.services.documents.fields import DocumentInput
from webapp.services.documents.sent_files import SentFile


def attach(
    content: DocumentInput, file: SentFile, name: str, other_id: int, *, actor: Actor, now: datetime
) -> Document:
    """File a document and attach it to a line or an entry, as one; a file that exists already is attached as it is.

    Raises what `documents.create` and `relations.relate` raise.
    """
    document = filed(content, file, actor=actor, now=now)
    relations.relate(document, name, other_id, actor=actor, now=now)
    return document


def filed(content: DocumentInput, file: SentFile, *, actor: Actor, now: datetime) -> Document:
    """Give the document that has a file, or file one with it; raises what `documents.create` raises."""
    found = queried.with_file(actor.organization_id, sha256(file.data).hexdigest())
    return found or documents.create(content, file, has_place=True, actor=actor, now=now)
