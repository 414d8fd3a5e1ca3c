"""The stored files that bank lines came with: of an import, or of the push that brought a line."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.models import FeedPush, Import, StoredFile, Transaction, of_same_organization


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
    if line.import_id is not None:
        of_it = sa.and_(of_same_organization(Import, line), Import.id == line.import_id)
        file_id = db.session.scalar(sa.select(Import.file_id).where(of_it))
    else:
        # A push and the lines that it adds have one instant, that of their act.
        brought = sa.and_(
            of_same_organization(FeedPush, line),
            FeedPush.feed_account_id == line.feed_account_id,
            FeedPush.received_at == line.created_at,
        )
        file_id = db.session.scalar(sa.select(FeedPush.file_id).where(brought).order_by(FeedPush.id).limit(1))
    return _by_id(line.organization_id, file_id)


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
