"""The files that wait for a person: kept with their question, filed as documents, or deleted."""

from datetime import datetime

from webapp.database.sessions import db
from webapp.ledger.files.file_kinds import cleaned, sniffed
from webapp.models import Document, InboxFile
from webapp.queries.documents import inbox_files
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents import documents
from webapp.services.documents.sent_files import SentFile
from webapp.services.storage import stored_files


def keep(
    file: SentFile, code: str, question: str, document_id: int | None, *, actor: Actor, now: datetime
) -> InboxFile:
    """Keep a file until somebody answers its question; one that is there already gets the new question."""
    kind, packed = sniffed(file.data), stored_files.pack(file.data)
    name = cleaned(file.name)
    payload = {"fileName": name, "sha256": packed.sha256}
    with act(actor, now, "keep_in_inbox", ("inbox_file", "new"), payload=payload) as doing:
        waiting = inbox_files.with_digest(actor.organization_id, packed.sha256)
        if waiting is not None and waiting.question == question:
            doing.nothing_to_do()
            return waiting
        stored_files.keep(actor.organization_id, packed, name, kind.type, now=now)
        if waiting is None:
            waiting = InboxFile(
                organization_id=actor.organization_id,
                sha256=packed.sha256,
                file_name=name,
                file_type=kind.type,
                file_size=len(file.data),
                created_at=now,
            )
            db.session.add(waiting)
        waiting.code, waiting.question, waiting.document_id = code, question, document_id
        db.session.flush()
        doing.target_id, doing.title = str(waiting.id), f"Put {name} into the inbox"
        doing.after = {"question": question}
    return waiting


def file_as_document(
    waiting: InboxFile, *, force: bool = False, note: str = "", actor: Actor, now: datetime
) -> Document:
    """File a document with a waiting file; raises what `documents.create` raises."""
    file = SentFile(waiting.file_name, stored_files.read(inbox_files.file_of(waiting)))
    document = documents.create({}, file, force=force, note=note, actor=actor, now=now)
    _delete(waiting, now=now)
    return document


def delete(waiting: InboxFile, *, actor: Actor, now: datetime) -> None:
    """Delete a file that waits, with the commit."""
    target, title = ("inbox_file", waiting.id), f"Deleted {waiting.file_name} from the inbox"
    with act(actor, now, "delete_from_inbox", target, title=title) as doing:
        doing.before = {"fileName": waiting.file_name, "sha256": waiting.sha256, "question": waiting.question}
        _delete(waiting, now=now)


def _delete(waiting: InboxFile, *, now: datetime) -> None:
    stored = stored_files.find(waiting.organization_id, waiting.sha256)
    db.session.delete(waiting)
    db.session.flush()
    if stored is not None:
        stored_files.release(stored, now=now)
