"""Files that stay as evidence, by their digest: once in an organization, readable by their owner only, whole or not.

A digest that comes back after its file was deleted gets a new name: a deletion of the old one cannot meet it.
A small body of a push is in its row, as a file of its own would make each push wait for the disk three or four times
more.
"""

import gzip
import secrets
import zlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.places import evidence_place
from webapp.database.sessions import db, insert_unless
from webapp.ledger.errors import LedgerError
from webapp.models import Document, DocumentFile, FeedPush, Import, InboxFile, StoredFile
from webapp.models.base import table_of
from webapp.services.storage import arriving_files, whole_files

# What a first part tells of the rest: pictures and PDF do not get smaller, and statements to a tenth.
TRIED: Final = 256 * 1024
WORTH: Final = 0.9
LEVEL: Final = 6
# What gzip writes around the same bytes more than zlib does.
GZIP_LONGER: Final = 12
# Bytes as they are kept.
MOST_IN_ROW: Final = 64 * 1024
_NEW_ROWS: Final = sa.insert(table_of(StoredFile))


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


@dataclass(frozen=True, slots=True)
class NewFile:
    """A file to be kept under a name, with its type."""

    packed: PackedFile
    name: str
    file_type: str


def pack(data: bytes) -> PackedFile:
    """Make a file ready to be kept, before anybody waits for the books."""
    if len(data) <= TRIED:
        packed = gzip.compress(data, LEVEL, mtime=0)
        is_compressed = len(packed) - GZIP_LONGER < WORTH * len(data)
        kept = packed if is_compressed else data
    else:
        is_compressed = len(zlib.compress(data[:TRIED], LEVEL)) < WORTH * TRIED
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
        arriving_files.sweep(organization_id, now=now)
    place |= {"is_compressed": packed.is_compressed, "thrown_away_at": None}
    stored = find(organization_id, packed.sha256)
    if stored is None:
        # Another transaction that keeps the same file at this moment is waited for, and has kept it then.
        facts = {"organization_id": organization_id, "sha256": packed.sha256, "size": packed.size}
        facts |= {"name": name, "file_type": file_type, "created_at": now}
        is_new = _insert(facts | place) is not None
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


def keep_body(organization_id: str, packed: PackedFile, name: str, file_type: str, *, now: datetime) -> int:
    """Keep a body as `keep` does, in its row where it is small, and answer its id; a new one takes one statement."""
    if len(packed.data) <= MOST_IN_ROW:
        facts = {"sha256": packed.sha256, "size": packed.size, "is_compressed": packed.is_compressed}
        facts |= {"organization_id": organization_id, "name": name, "file_type": file_type}
        inserted = _insert(facts | {"created_at": now, "content": packed.data})
        if inserted is not None:
            return inserted
    return keep(organization_id, packed, name, file_type, now=now, in_row=True).id


def keep_all(organization_id: str, files: Iterable[NewFile], *, now: datetime) -> None:
    """Keep files that no row has, as part of the open transaction, and wait for the disk once for all of them."""
    arriving_files.sweep(organization_id, now=now)
    names = {each: _new_name(each.packed.sha256) for each in files}
    rows = [
        {
            "organization_id": organization_id,
            "sha256": each.packed.sha256,
            "name": each.name,
            "file_type": each.file_type,
            "size": each.packed.size,
            "is_compressed": each.packed.is_compressed,
            "kept_name": kept_name,
            "created_at": now,
        }
        for each, kept_name in names.items()
    ]
    if rows:
        db.session.connection().execute(_NEW_ROWS, rows)
        arriving_files.mark(organization_id, names.values(), stays=True)
        places = {each: evidence_place(organization_id, name) for each, name in names.items()}
        whole_files.keep_all({path: each.packed.data for each, path in places.items()})


def bring_back(stored: StoredFile, data: bytes) -> None:
    """Keep a restored file under the name that its row has for it."""
    if stored.kept_name is not None and not path_of(stored).exists():
        _write(stored.organization_id, stored.kept_name, data)


def release(stored: StoredFile, *, now: datetime) -> None:
    """Delete a file that nothing names any more, once the open transaction is committed; any other one stays."""
    arriving_files.sweep(stored.organization_id, now=now)
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


def digests_among(organization_id: str, digests: Collection[str]) -> set[str]:
    """Give those of some SHA-256 that have a row, even if its file was thrown away."""
    return set(
        db.session.scalars(
            sa.select(StoredFile.sha256).where(
                StoredFile.organization_id == organization_id, StoredFile.sha256.in_(digests)
            )
        )
    )


def path_of(stored: StoredFile) -> Path:
    """Give the path of a file in the folder; raises FileThrownAwayError for one that was thrown away."""
    if stored.kept_name is None:
        raise FileThrownAwayError
    return evidence_place(stored.organization_id, stored.kept_name)


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


def _insert(facts: dict[str, Any]) -> int | None:
    """Insert a row, and give its id; None where another transaction has inserted it."""
    table = table_of(StoredFile)
    statement = insert_unless(table).values(facts).on_conflict_do_nothing().returning(table.c.id)
    found: int | None = db.session.scalar(statement)
    return found


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
    arriving_files.mark(organization_id, [name], stays=True)
    whole_files.keep(evidence_place(organization_id, name), data)


def _delete_after_commit(stored: StoredFile) -> None:
    if stored.kept_name is not None:
        arriving_files.mark(stored.organization_id, [stored.kept_name], stays=False)
