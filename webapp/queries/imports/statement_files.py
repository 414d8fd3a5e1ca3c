"""What a reconciliation rests on: the statement that is attached to it, and the files that brought its lines."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.models import (
    Document,
    FeedPush,
    Import,
    Reconciliation,
    ReconciliationItem,
    StatementDocument,
    StoredFile,
    Transaction,
    of_same_organization,
    refers_to,
)


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A file that a reconciliation rests on, with the id of the statement's document or of the bank file's import."""

    name: str
    sha256: str
    document_id: int | None = None
    import_id: int | None = None


def document_of(draft_id: int, organization_id: str) -> Document | None:
    """Give the document that is the statement of an open draft."""
    is_of_it = (
        StatementDocument.organization_id == organization_id,
        StatementDocument.reconciliation_id == draft_id,
    )
    return db.session.scalar(
        sa.select(Document)
        .join(StatementDocument, refers_to(StatementDocument.document_id, Document))
        .where(*is_of_it)
        .options(orm.defer(Document.text))
    )


def named(proof: Reconciliation, statement: str | None, digests: Sequence[str]) -> list[NamedFile]:
    """Name the files whose digests a proof has frozen, the statement first."""
    of_it = of_same_organization(StoredFile, proof)
    rows = db.session.execute(
        sa.select(StoredFile.sha256, StoredFile.name, sa.func.min(Import.id))
        .outerjoin(Import, refers_to(Import.file_id, StoredFile))
        .where(of_it, StoredFile.sha256.in_([statement, *digests]))
        .group_by(StoredFile.sha256, StoredFile.name)
    ).all()
    names = {digest: NamedFile(name, digest, import_id=import_id) for digest, name, import_id in rows}
    brought = [names.get(each, NamedFile("Deleted file", each)) for each in digests]
    if statement is None:
        return brought
    of_statement = names.get(statement, NamedFile("Deleted file", statement))
    return [replace(of_statement, document_id=document_id_of(proof), import_id=None), *brought]


def document_id_of(reconciliation: Reconciliation) -> int | None:
    """Give the id of the document that is the statement of a draft or a proof."""
    return db.session.scalar(
        sa.select(StatementDocument.document_id).where(
            refers_to(StatementDocument.reconciliation_id, reconciliation)
        )
    )


def statement_digest(reconciliation: Reconciliation) -> str | None:
    """Give the SHA-256 of the statement's file."""
    return db.session.scalar(
        sa.select(Document.sha256)
        .join(StatementDocument, refers_to(StatementDocument.document_id, Document))
        .where(refers_to(StatementDocument.reconciliation_id, reconciliation))
    )


def file_digests(reconciliation: Reconciliation) -> list[str]:
    """Give the SHA-256 of each file and each pushed batch that brought a cleared line, in their order."""
    cleared = (
        sa.select(Transaction.import_id, Transaction.feed_account_id, Transaction.created_at)
        .join(ReconciliationItem, refers_to(ReconciliationItem.transaction_id, Transaction))
        .where(
            of_same_organization(Transaction, reconciliation),
            refers_to(ReconciliationItem.reconciliation_id, reconciliation),
        )
        .distinct()
        .cte()
    )
    imported = (
        sa.select(Import.file_id)
        .join(cleared, cleared.c.import_id == Import.id)
        .where(of_same_organization(Import, reconciliation))
    )
    # A push and the lines that it adds have one instant, that of their act.
    pushed = (
        sa.select(FeedPush.file_id)
        .join(
            cleared,
            sa.and_(
                cleared.c.import_id.is_(None),
                FeedPush.feed_account_id == cleared.c.feed_account_id,
                FeedPush.received_at == cleared.c.created_at,
            ),
        )
        .where(of_same_organization(FeedPush, reconciliation))
    )
    brought = sa.or_(StoredFile.id.in_(imported), StoredFile.id.in_(pushed))
    found = sa.select(StoredFile.sha256).where(of_same_organization(StoredFile, reconciliation), brought)
    return sorted(db.session.scalars(found))
