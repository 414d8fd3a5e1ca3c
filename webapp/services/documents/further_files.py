"""Further files of a document: the same invoice as pages for people and as XML for programs is one document."""

from datetime import datetime
from hashlib import sha256
from typing import cast

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.files.file_kinds import cleaned, kind_of
from webapp.ledger.references import Kind
from webapp.models import Document, DocumentFile
from webapp.queries.access import organizations
from webapp.queries.documents import documents as queried
from webapp.services.audit import titles, updates
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.documents import fields, invoices, payments
from webapp.services.documents.fields import DocumentInput
from webapp.services.documents.invoices import FileContents
from webapp.services.documents.sent_files import EmptyFileError, SentFile, refuse_duplicate
from webapp.services.rules import document_rules
from webapp.services.storage import stored_files

MOST_FILES = 20


class TooManyFilesError(UnprocessableError):
    """A document has at most 20 further files."""

    code = "too_many_files"


class FirstFileError(LedgerError):
    """This is the document's first file; delete the document to delete it."""

    code = "first_file"


def add(document: Document, file: SentFile, *, actor: Actor, now: datetime) -> DocumentFile:
    """Add a file to a document; where it is the first that can be read, what nobody wrote yet is read from it.

    Raises EmptyFileError, FileKindError, AlreadyThereError and TooManyFilesError.
    """
    digest = sha256(file.data).hexdigest()
    payload = {"fileName": file.name, "sha256": digest}
    with act(actor, now, "add_document_file", ("document", document.id), payload=payload) as doing:
        if not file.data:
            raise EmptyFileError(fields={"file": [str(EmptyFileError())]})
        read = file.contents or invoices.contents(file.data)
        kind = read.kind or kind_of(file.data)
        refuse_duplicate(document.organization_id, digest)
        if len(queried.further_files(document)) >= MOST_FILES:
            raise TooManyFilesError
        name = cleaned(file.name, kind.endings)
        packed = stored_files.pack(file.data)
        stored_files.keep(document.organization_id, packed, name, kind.type, now=now)
        added = DocumentFile(
            organization_id=document.organization_id,
            document_id=document.id,
            sha256=digest,
            file_name=name,
            file_type=kind.type,
            file_size=len(file.data),
            created_at=now,
        )
        db.session.add(added)
        before = fields.facts(document)
        _read(document, read, digest)
        updates.touch(Kind.DOCUMENT, [document.id])
        db.session.flush()
        doing.title = f"Added the file {name} to {titles.of_document(document)}"
        after = fields.facts(document)
        is_read = after != before
        if is_read:
            document_rules.run_on(document, act_id=doing.id, now=now)
        doing.before = {key: value for key, value in before.items() if value != after[key]}
        doing.after = {key: value for key, value in after.items() if value != before[key]} | payload
    if is_read and not queried.is_related(document):
        payments.attach(document.organization_id, [document], now=now)
    return added


def remove(document: Document, digest: str, *, actor: Actor, now: datetime) -> None:
    """Delete a further file of a document, and what was only read of it; raises FirstFileError, NotFoundError."""
    title = f"Deleted a file of {titles.of_document(document)}"
    payload = {"sha256": digest}
    with act(
        actor, now, "remove_document_file", ("document", document.id), title=title, payload=payload
    ) as doing:
        if digest == document.sha256:
            raise FirstFileError
        file = queried.further_file(document, digest)
        doing.before = {"fileName": file.file_name, **payload}
        if document.invoice is not None and document.invoice.get("file") == digest:
            for name in invoices.ONLY_READ:
                setattr(document, name, None)
        delete_rows(document, [file], now=now)
        updates.touch(Kind.DOCUMENT, [document.id])


def delete_rows(document: Document, files: list[DocumentFile], *, now: datetime) -> None:
    """Delete further files of a document, with the commit."""
    for each in files:
        stored = stored_files.find(document.organization_id, each.sha256)
        db.session.execute(
            sa.delete(DocumentFile).where(
                DocumentFile.organization_id == document.organization_id, DocumentFile.id == each.id
            )
        )
        db.session.expunge(each)
        if stored is not None:
            stored_files.release(stored, now=now)


def _read(document: Document, read: FileContents, digest: str) -> None:
    """Write what a file states where the document has nothing yet; what somebody wrote stays."""
    if (document.invoice is not None and "syntax" in document.invoice) or read.invoice is None:
        return
    written = {
        name: getattr(document, name)
        for name in (*fields.PLAIN, *fields.AMOUNTS, "currency")
        if getattr(document, name) is not None
        and (name, document.document_type) != ("document_type", "OTHER")
    }
    invoices.write(
        document, read, cast("DocumentInput", written), organizations.get(document.organization_id)
    )
    document.invoice = {**(document.invoice or {}), "file": digest}
