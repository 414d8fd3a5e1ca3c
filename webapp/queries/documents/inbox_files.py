"""Files that wait for a person: those that neither a document nor an import has."""

from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import Document, DocumentFile, Import, InboxFile, StoredFile, of_same_organization
from webapp.queries.common.made_once import made_once
from webapp.queries.common.paging import Order, Page, page

NEWEST = Order((InboxFile.id,))  # type: ignore[arg-type]


def listed(organization_id: str, *, after: tuple[Any, ...] | None, limit: int) -> Page[InboxFile]:
    """List the files that wait, the newest first."""
    statement = sa.select(InboxFile).where(InboxFile.organization_id == organization_id, waits())
    return page(statement, NEWEST, after=after, limit=limit)


def count(organization_id: str) -> int:
    """Count the files that wait."""
    return db.session.scalar(*_count(organization_id)) or 0


@made_once
def _count(organization_id: str) -> sa.Select[int]:
    waiting = sa.select(sa.func.count()).select_from(InboxFile)
    return waiting.where(InboxFile.organization_id == organization_id, waits())


def get(organization_id: str, inbox_file_id: int) -> InboxFile:
    """Find a file that waits, or raise NotFoundError."""
    return _found(organization_id, InboxFile.id == inbox_file_id, waits())


def kept(organization_id: str, inbox_file_id: int) -> InboxFile:
    """Find a file, also one that a document or an import has meanwhile, or raise NotFoundError."""
    return _found(organization_id, InboxFile.id == inbox_file_id)


def _found(organization_id: str, *conditions: sa.ColumnElement[bool]) -> InboxFile:
    found = db.session.scalar(
        sa.select(InboxFile).where(InboxFile.organization_id == organization_id, *conditions)
    )
    if found is None:
        raise NotFoundError
    return found


def with_digest(organization_id: str, digest: str) -> InboxFile | None:
    """Find the row of a file by its SHA-256, whether it waits or not."""
    return db.session.scalar(
        sa.select(InboxFile).where(InboxFile.organization_id == organization_id, InboxFile.sha256 == digest)
    )


def imported(organization_id: str, digest: str) -> Import | None:
    """Find the import of a file by its SHA-256, the newest where there are several."""
    found = sa.select(Import).where(
        Import.organization_id == organization_id, Import.sha256 == digest, Import.status == "IMPORTED"
    )
    return db.session.scalars(found.order_by(Import.id.desc()).limit(1)).first()


def file_of(waiting: InboxFile) -> StoredFile:
    """Give the stored file of one that waits."""
    return db.session.scalars(
        sa.select(StoredFile).where(
            of_same_organization(StoredFile, waiting), StoredFile.sha256 == waiting.sha256
        )
    ).one()


def waits() -> sa.ColumnElement[bool]:
    """Build the condition that nothing has the file of a row yet."""
    of_documents = (
        sa.exists().where(of_same_organization(model, InboxFile), model.sha256 == InboxFile.sha256)
        for model in (Document, DocumentFile)
    )
    of_imports = sa.exists().where(
        of_same_organization(Import, InboxFile),
        Import.sha256 == InboxFile.sha256,
        Import.status == "IMPORTED",
    )
    return ~sa.or_(*of_documents, of_imports)
