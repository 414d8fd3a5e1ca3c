"""The bank's statement as a document, attached to the draft that it is reconciled in; its proof names the digest."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.models import Document, FeedAccount, Reconciliation, StatementDocument, refers_to
from webapp.queries.common import lookups
from webapp.services.audit.act import Actor
from webapp.services.documents import attached_files
from webapp.services.documents.sent_files import SentFile
from webapp.services.reconciliation import drafts
from webapp.services.transactions import clearing


class NoStatementFileError(UnprocessableError):
    """This document has no file; attach one that has the statement."""

    code = "no_statement_file"


def put(draft: Reconciliation, document_id: int | None) -> None:
    """Make a document the statement of a draft in place of an earlier one, or none.

    Raises UnknownReferenceError and NoStatementFileError.
    """
    of_it = refers_to(StatementDocument.reconciliation_id, draft)
    db.session.execute(sa.delete(StatementDocument).where(of_it))
    if document_id is None:
        return
    document = lookups.refer(Document, draft.organization_id, document_id, "documentId")
    if document.sha256 is None:
        raise NoStatementFileError(fields={"documentId": [str(NoStatementFileError())]})
    db.session.add(
        StatementDocument(
            organization_id=draft.organization_id, reconciliation_id=draft.id, document_id=document.id
        )
    )
    db.session.flush()


def attach_file(account: FeedAccount, file: SentFile, *, actor: Actor, now: datetime) -> Document:
    """Keep a file as a document, or take the one that has it, and make it the statement of the open draft.

    Raises what filing a document raises, and NoDraftError.
    """
    draft = clearing.require(account, None)
    document = attached_files.filed({}, file, actor=actor, now=now)
    statement = replace(drafts.inputs_of(draft), document_id=document.id, keeps_document=False)
    drafts.put_draft(account, statement, version=draft.version, actor=actor, now=now)
    return document
