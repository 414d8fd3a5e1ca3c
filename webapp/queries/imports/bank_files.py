"""The stored files that bank lines came with: of an import, or of the push that brought a line."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import FeedPush, Import, StoredFile, Transaction, refers_to
from webapp.queries.common.made_once import made_once


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A stored file without its bytes; `thrown_away_at` is set once it is gone."""

    name: str
    file_type: str
    size: int
    sha256: str
    thrown_away_at: datetime | None

    @property
    def is_kept(self) -> bool:
        """Whether it is still there to be downloaded."""
        return self.thrown_away_at is None


class NoFileError(NotFoundError):
    """No file is kept for this: it came before imported files and pushed batches stayed."""


def record(stored: StoredFile | None) -> FileRecord | None:
    """Give the record of a stored file, if there is one."""
    if stored is None:
        return None
    return FileRecord(stored.name, stored.file_type, stored.size, stored.sha256, stored.thrown_away_at)


def of_import(imported: Import) -> StoredFile | None:
    """Find the file of an import; none for a preview, a refused one, or one from before files were kept."""
    return _by_id(imported.organization_id, imported.file_id)


def of_line(line: Transaction) -> StoredFile | None:
    """Find the file that a line came with: that of its import, or the batch that was pushed."""
    brought = (
        _pushed(line.organization_id, line.feed_account_id, line.created_at)
        if line.import_id is None
        else _imported(line.organization_id, line.import_id)
    )
    file: StoredFile | None = db.session.scalar(*brought)
    return file


@made_once
def _imported(organization_id: str, import_id: int) -> sa.Select[Any]:
    of_it = (Import.organization_id == organization_id, Import.id == import_id)
    return sa.select(StoredFile).join(Import, refers_to(Import.file_id, StoredFile)).where(*of_it)


@made_once
def _pushed(organization_id: str, fa_id: int, at: datetime) -> sa.Select[Any]:
    """Select the file of a push; it and the lines that it adds have one instant, that of their act."""
    return (
        sa.select(StoredFile)
        .join(FeedPush, refers_to(FeedPush.file_id, StoredFile))
        .where(
            FeedPush.organization_id == organization_id,
            FeedPush.feed_account_id == fa_id,
            FeedPush.received_at == at,
        )
        .order_by(FeedPush.id)
        .limit(1)
    )


def require(stored: StoredFile | None) -> tuple[StoredFile, str, str]:
    """Give a file with its type and name for a download; raises NoFileError where there is none."""
    if stored is None:
        raise NoFileError
    return stored, stored.file_type, stored.name


def _by_id(organization_id: str, file_id: int | None) -> StoredFile | None:
    if file_id is None:
        return None
    return db.session.scalar(
        sa.select(StoredFile).where(StoredFile.organization_id == organization_id, StoredFile.id == file_id)
    )
