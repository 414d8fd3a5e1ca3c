"""Backups: every row of the books in one file, read as one snapshot while everybody goes on working.

The file is a ZIP: `manifest.json`, for each table a member of JSON lines, one row each, and the files beside the
books: the stored ones below `files/`, as they are kept there, those that waiting proposals were sent with below
`proposals/`. It says the same whichever database the books are in, and is restored into either.
"""

import errno
import json
import os
import zipfile
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypedDict

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.places import EVIDENCE, PROPOSALS, place_in
from webapp.database.sessions import instance_folder
from webapp.database.sqlite import SEQUENCES
from webapp.models import StoredFile
from webapp.queries.audit import proposals
from webapp.queries.checks import book_totals
from webapp.queries.checks.stored_files import problem_with
from webapp.queries.checks.violations import Violation
from webapp.services.backups import archives
from webapp.services.backups.rows import selected, tables, writer
from webapp.services.storage import stored_files, whole_files

FORMAT: Final = 1
ROWS_AT_ONCE: Final = 5000
# Takes the progress as a text.
Show = Callable[[str], None]


class TableFacts(TypedDict):
    """A table of a backup: its columns, how many rows it has, and the SHA-256 of its lines."""

    columns: list[str]
    rows: int
    sha256: str


class Manifest(TypedDict):
    """What a backup holds; restored books are compared with it."""

    format: int
    revision: str | None
    madeAt: str
    tables: dict[str, TableFacts]
    lastIds: dict[str, int]
    organizations: list[dict[str, Any]]
    files: int
    lostFiles: list[str]


def to_nobody(_text: str) -> None:
    """Take the progress where nobody looks."""


def write(
    session: orm.Session,
    path: Path,
    *,
    revision: str | None,
    now: datetime,
    key: bytes | None = None,
    show: Show = to_nobody,
) -> Manifest:
    """Write the books to a new file that only its owner may read; answers its manifest.

    `session` reads one snapshot, `key` signs, `show` takes the progress as a text. Raises FileExistsError rather
    than write over anything.
    """
    if path.exists():
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    with (
        whole_files.written(path, path.with_name(f"{path.name}.partial")) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive,
    ):
        manifest = _write(session, archive, revision, now, show)
        written = json.dumps(manifest, ensure_ascii=False, indent=1).encode()
        archive.writestr(archives.MANIFEST, written)
        if key is not None:
            archives.sign(archive, written, key)
        return manifest


def _write(
    session: orm.Session, archive: zipfile.ZipFile, revision: str | None, now: datetime, show: Show
) -> Manifest:
    tables_ = {table.name: _write_table(session, archive, table, show) for table in tables()}
    last_ids = {table.name: _last_id(session, table) for table in tables() if "id" in table.columns}
    totals = book_totals.of_all(session)
    files, lost = _write_files(session, archive)
    return {
        "format": FORMAT,
        "revision": revision,
        "madeAt": now.isoformat(),
        "tables": tables_,
        "lastIds": last_ids,
        "organizations": totals,
        "files": files,
        "lostFiles": lost,
    }


def _write_table(session: orm.Session, archive: zipfile.ZipFile, table: sa.Table, show: Show) -> TableFacts:
    digest, count = sha256(), 0
    plain, written = writer(table), json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    rows = session.connection().execute(selected(table), execution_options={"yield_per": ROWS_AT_ONCE})
    with archive.open(member_of(table), "w", force_zip64=True) as member:
        for some in rows.partitions():
            lines = "".join(f"{written(plain(row))}\n" for row in some).encode()
            digest.update(lines)
            member.write(lines)
            count += len(some)
            show(f"writing {table.name.replace('_', ' ')}: {count:,} rows")
    return {"columns": [column.name for column in table.columns], "rows": count, "sha256": digest.hexdigest()}


def _write_files(session: orm.Session, archive: zipfile.ZipFile) -> tuple[int, list[str]]:
    """Write the files beside the books; answers how many, and the names of those that are not whole any more."""
    count = 0
    lost: list[str] = []
    stored = [
        (stored_files.path_of(each), member_of_file(each), each.sha256, each.is_compressed)
        for each in session.scalars(stored_files.kept())
    ]
    of_proposals = [
        (place_in(instance_folder(PROPOSALS), each.name), f"{PROPOSALS}/{each.name}", each.sha256, False)
        for each in proposals.files()
    ]
    for path, member, digest, is_compressed in (*stored, *of_proposals):
        if problem_with(path, digest, is_compressed=is_compressed) is None:
            # As it is: gzip has packed what gets smaller, and nobody's file makes the archive a thousandth of its rows.
            archive.write(path, member, zipfile.ZIP_STORED)
            count += 1
        else:
            lost.append(path.name)
    return count, lost


def member_of_file(stored: StoredFile) -> str:
    """Name the member that holds a stored file."""
    return f"{EVIDENCE}/{stored.organization_id}/{stored.kept_name}"


def is_left_out(manifest: Manifest, violation: Violation) -> bool:
    """Return whether a violation is a file that no backup has: lost when it was made, or without a row."""
    if violation.code == "file_without_row":
        return True
    is_missing = violation.code.endswith("_file_missing")
    return is_missing and violation.about["file"] in manifest["lostFiles"]


def member_of(table: sa.Table) -> str:
    """Name the member that holds a table."""
    return f"{table.name}.jsonl"


def _last_id(session: orm.Session, table: sa.Table) -> int:
    """Give the last id of a table, also of deleted rows: it is never used again."""
    id_ = table.columns.id
    if not isinstance(id_.type, sa.Integer | sa.BigInteger) or id_.autoincrement is False:
        return 0
    if session.connection().dialect.name == "postgresql":
        given = sa.table(
            f"{table.name}_id_seq", sa.column("is_called", sa.Boolean), sa.column("last_value")
        ).c
        return int(session.scalar(sa.select(given.last_value).where(given.is_called)) or 0)
    found = session.scalar(sa.select(SEQUENCES.c.seq).where(SEQUENCES.c.name == table.name))
    return int(found or 0)
