"""Files that become documents of a line or an entry at once."""

from __future__ import annotations

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
    document = queried.with_file(actor.organization_id, sha256(file.data).hexdigest())
    if document is None:
        document = documents.create(content, file, has_place=True, actor=actor, now=now)
    relations.relate(document, name, other_id, actor=actor, now=now)
    return document
