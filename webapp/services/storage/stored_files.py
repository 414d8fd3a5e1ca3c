"""Files that stay as evidence, by their digest: once in an organization, readable by their owner only, whole or not.

A file is written before the transaction that names it ends, and deleted when that is rolled back; one that nothing
names any more is deleted after the commit. As long as either is possible a mark is beside it, so that what a killed
process left is found and removed. A digest that comes back after its file was deleted gets a new name: whoever still
deletes the old one cannot meet it. A small body of a push is in its row, as a file of its own would make each push wait
for the disk three or four times more.
"""

from __future__ import annotations

import gzip
import re
import secrets
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from webapp.db import db, instance_folder
from webapp.ledger.errors import LedgerError
from webapp.models import Document, DocumentFile, FeedPush, Import, InboxFile, StoredFile
from webapp.models.base import table_of
from webapp.services.storage import whole_files
from webapp.services.storage.savepoints import at_end

FOLDER: Final = "files"
NAME: Final = re.compile("[0-9a-f]{64}-[0-9a-f]{8}")
ORGANIZATION: Final = re.compile("[A-Za-z0-9_-]{1,40}")
LEFT_AFTER: Final = timedelta(hours=1)
# What a first part tells of the rest: pictures and PDF do not get smaller, and statements to a tenth.
TRIED: Final = 256 * 1024
WORTH: Final = 0.9
LEVEL: Final = 6
# Bytes as they are kept.
MOST_IN_ROW: Final = 64 * 1024


class FileLostError(LedgerError):
    """This file is missing on disk; `tieout check` lists all missing files."""

    code = "file_lost"


class FileThrownAwayError(LedgerError):
    """This file was deleted, as these books keep files for a limited time; its SHA-256 stays."""

    status = 410
    code = "file_thrown_away"


@dataclass(frozen=True, slots=True)
class PackedFile:
    """A file as it is kept: `data` as gzip writes it where that is smaller; `sha256` and `size` are of what came."""

    sha256: str
    size: int
    data: bytes
    is_compressed: bool


def pack(data: bytes) -> PackedFile:
    """Make a file ready to be kept, before anybody waits for the books."""
    tried = data[:TRIED]
    is_compressed = len(zlib.compress(tried, LEVEL)) < WORTH * len(tried)
    kept = gzip.compress(data, LEVEL, mtime=0) if is_compressed else data
    return PackedFile(sha256(data).hexdigest(), len(data), kept, is_compressed)


def keep(
    organization_id: str,
    packed: PackedFile,
    name: str,
    file_type: str,
    *,
    now: datetime,
    in_row: bool = False,
) -> StoredFile:
    """Keep a file as part of the open transaction, and answer its row; one that is there already stays as it is.

    With `in_row` the row itself holds it where it is small, so that nobody waits for the disk once more.
    """
    if in_row and len(packed.data) <= MOST_IN_ROW:
        place: dict[str, Any] = {"kept_name": None, "content": packed.data}
    else:
        place = {"kept_name": _new_name(packed.sha256), "content": None}
        sweep(organization_id, now=now)
    place |= {"is_compressed": packed.is_compressed, "thrown_away_at": None}
    stored = find(organization_id, packed.sha256)
    if stored is None:
        # Whoever keeps the same file at this moment is waited for, and has kept it then.
        facts = {"organization_id": organization_id, "sha256": packed.sha256, "size": packed.size}
        facts |= {"name": name, "file_type": file_type, "created_at": now}
        is_new = _insert(facts | place)
        stored = _get(organization_id, packed.sha256)
    else:
        is_new = stored.thrown_away_at is not None
        if is_new:
            for key, value in place.items():
                setattr(stored, key, value)
            db.session.flush()
    if is_new and stored.kept_name is not None:
        _write(organization_id, stored.kept_name, packed.data)
    return stored


def bring_back(stored: StoredFile, data: bytes) -> None:
    """Keep a restored file under the name that its row has for it."""
    if stored.kept_name is not None and not path_of(stored).exists():
        _write(stored.organization_id, stored.kept_name, data)


def release(stored: StoredFile, *, now: datetime) -> None:
    """Delete a file that nothing names any more, once the open transaction is committed; any other one stays."""
    sweep(stored.organization_id, now=now)
    db.session.flush()
    if not _is_named(stored):
        _delete_after_commit(stored)
        db.session.delete(stored)
        db.session.flush()


def throw_away(stored: StoredFile, *, now: datetime) -> None:
    """Delete a file once the open transaction is committed, and keep its row, which says when."""
    _delete_after_commit(stored)
    stored.kept_name, stored.content, stored.thrown_away_at = None, None, now
    db.session.flush()


def find(organization_id: str, digest: str | None) -> StoredFile | None:
    """Find the row of a file by its SHA-256."""
    return db.session.scalar(
        sa.select(StoredFile).where(
            StoredFile.organization_id == organization_id, StoredFile.sha256 == digest
        )
    )


def path_of(stored: StoredFile) -> Path:
    """Give the path of a file in the folder; raises FileThrownAwayError for one that was thrown away."""
    if stored.kept_name is None:
        raise FileThrownAwayError
    return _path(stored.organization_id, stored.kept_name)


def read(stored: StoredFile) -> bytes:
    """Read a file as it came; raises FileThrownAwayError, or FileLostError where it is missing or damaged."""
    try:
        data = path_of(stored).read_bytes() if stored.content is None else stored.content
        return gzip.decompress(data) if stored.is_compressed else data
    except (OSError, EOFError, zlib.error):
        raise FileLostError from None


def kept() -> sa.Select[Any]:
    """Select the rows of the files that are in the folder, in the order in which they came."""
    return sa.select(StoredFile).where(StoredFile.kept_name.is_not(None)).order_by(StoredFile.id)


def sweep(organization_id: str, *, now: datetime) -> None:
    """Remove the files that were on their way when a process was killed, unless a row has them."""
    _remove_older_names()
    marks = _marks(organization_id)
    if not marks.is_dir():
        return
    old = [each.name for each in marks.iterdir() if NAME.fullmatch(each.name) and _is_old(each, now)]
    if not old:
        return
    named = set(
        db.session.scalars(
            sa.select(StoredFile.kept_name).where(
                StoredFile.organization_id == organization_id, StoredFile.kept_name.in_(old)
            )
        )
    )
    for name in old:
        _drop(organization_id, name, is_kept=name in named)


def _insert(facts: dict[str, Any]) -> bool:
    """Insert a row unless another transaction has inserted it."""
    if db.engine.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert  # noqa: PLC0415
    else:
        from sqlalchemy.dialects.sqlite import insert  # type: ignore[assignment]  # noqa: PLC0415
    table = table_of(StoredFile)
    # Whether a row came is told by its id: a count of rows is not known where PostgreSQL answers with values.
    statement = insert(table).values(facts).on_conflict_do_nothing().returning(table.c.id)
    return db.session.scalar(statement) is not None


def _get(organization_id: str, digest: str) -> StoredFile:
    stored = find(organization_id, digest)
    if stored is None:
        raise FileLostError
    return stored


def _is_named(stored: StoredFile) -> bool:
    """Return whether a document, an import, a push or the inbox has the file."""
    of = stored.organization_id
    named = (
        *(
            sa.exists().where(model.organization_id == of, model.sha256 == stored.sha256)
            for model in (Document, DocumentFile, InboxFile)
        ),
        *(
            sa.exists().where(model.organization_id == of, model.file_id == stored.id)
            for model in (Import, FeedPush)
        ),
    )
    return bool(db.session.scalar(sa.select(sa.or_(*named))))


def _new_name(digest: str) -> str:
    return f"{digest}-{secrets.token_hex(4)}"


def _write(organization_id: str, name: str, data: bytes) -> None:
    _wait(organization_id, name, stays=True)
    whole_files.keep(_path(organization_id, name), data)


def _delete_after_commit(stored: StoredFile) -> None:
    if stored.kept_name is not None:
        _wait(stored.organization_id, stored.kept_name, stays=False)


def _wait(organization_id: str, name: str, *, stays: bool) -> None:
    """Mark a file, and settle it at the end of the open transaction or savepoint."""
    mark = _marks(organization_id) / name
    whole_files.make_folder(mark.parent)
    # A mark that a killed process left is as young as this one from now on, so that nobody sweeps it meanwhile.
    mark.touch(mode=0o600)
    at_end(
        committed=partial(_drop, organization_id, name, is_kept=stays),
        taken_back=partial(_drop, organization_id, name, is_kept=not stays),
    )
    whole_files.sync_folder(mark.parent)


def _is_old(mark: Path, now: datetime) -> bool:
    try:
        return mark.stat().st_mtime <= (now - LEFT_AFTER).timestamp()
    except FileNotFoundError:
        # Its transaction has just ended.
        return False


def folder_of(organization_id: str) -> Path:
    """Give the folder of an organization's files; raises ValueError for what is no id of one."""
    if not ORGANIZATION.fullmatch(organization_id):
        raise ValueError(organization_id)
    return instance_folder(FOLDER) / organization_id


def _path(organization_id: str, name: str) -> Path:
    if not NAME.fullmatch(name):
        raise ValueError(name)
    return folder_of(organization_id) / name[:2] / name


def _marks(organization_id: str) -> Path:
    return folder_of(organization_id) / "arriving"


def _drop(organization_id: str, name: str, *, is_kept: bool) -> None:
    """Take the mark from a file, and the file too where no row has it."""
    path = _path(organization_id, name)
    if not is_kept:
        path.unlink(missing_ok=True)
        whole_files.beginning_of(path).unlink(missing_ok=True)
    (_marks(organization_id) / name).unlink(missing_ok=True)


def _remove_older_names() -> None:
    """Remove the names that files of documents had in earlier versions, where they have the present one too."""
    earlier = instance_folder("documents")
    for path in earlier.iterdir() if earlier.is_dir() else ():
        if path.is_file() and path.stat().st_nlink > 1:
            path.unlink(missing_ok=True)
