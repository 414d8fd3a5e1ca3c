"""Attaching the bank's statement to the draft that it is reconciled in; its proof names the digest."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.models import Document, Reconciliation, StatementDocument, refers_to
from webapp.queries.common import lookups


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
