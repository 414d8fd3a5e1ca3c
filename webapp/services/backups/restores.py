"""Restoring: a backup into an empty database of either kind, all or nothing, and checked before anything counts."""

import json
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple, Self

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.places import PROPOSALS, checked_organization
from webapp.database.postgresql import analyze, hide_row
from webapp.database.sessions import instance_folder
from webapp.database.sqlite import SEQUENCES
from webapp.distribution.tables import is_distributed
from webapp.ledger.errors import LedgerError
from webapp.models import Organization
from webapp.queries.audit import proposals
from webapp.queries.checks import book_totals
from webapp.services.backups import archives, derived_rows
from webapp.services.backups.archives import NotABackupError, SignedBy
from webapp.services.backups.backups import (
    FORMAT,
    Manifest,
    Show,
    TableFacts,
    member_of,
    member_of_file,
    to_nobody,
)
from webapp.services.backups.rows import is_protected, reader, tables
from webapp.services.storage import kept_files, line_words, stored_files

ROWS_AT_ONCE = 2000
BYTES_AT_ONCE = 16 * 1024 * 1024
LONGEST_ROW = 64 * 1024 * 1024
# What a file that is no archive, or a damaged one, makes the reader raise.
UNREADABLE = (
    zipfile.BadZipFile,
    sa.exc.StatementError,
    KeyError,
    ValueError,
    EOFError,
    OSError,
    RuntimeError,
    TypeError,
    AttributeError,
    ArithmeticError,
    zlib.error,
)


class DatabaseFailedError(LedgerError):
    """The database failed; nothing was restored."""

    status = 503
    code = "busy"


class OtherRevisionError(LedgerError):
    """The backup was made by another version; restore it with that one, then upgrade."""

    code = "other_revision"


class BooksThereError(LedgerError):
    """There are books in this database already; restore into an empty one."""

    code = "books_there"


class DistributedError(LedgerError):
    """This database is distributed already; restore into one that is not, then run there: tieout distribute."""

    code = "distributed"


class Restored(NamedTuple):
    """What was restored: a backup's manifest, who signed it, and the folders that are not watched any more."""

    manifest: Manifest
    signed: SignedBy
    drop_folders: list[str]


def restore(
    session: orm.Session,
    path: Path,
    *,
    revision: str | None,
    now: datetime,
    key: bytes | None = None,
    show: Show = to_nobody,
) -> Restored:
    """Bring back the books of a backup, and compare what they come to with its manifest.

    Derived rows are computed again where they differ. Nobody is signed in to restored books, and no folder of this
    machine is watched for them unless `key` signed the backup. The caller commits; whatever is raised leaves nothing
    behind.
    """
    with refused(), zipfile.ZipFile(path) as archive:
        manifest: Manifest
        manifest, signed = archives.read_manifest(archive, path, key)
        _check_kind(manifest, revision)
        _check_empty(session)
        if is_distributed(session.connection()):
            raise DistributedError
        with _Bare(session) as bare:
            for table in tables():
                _load(session, archive, table, manifest["tables"][table.name], show)
            for organization_id in session.scalars(sa.select(Organization.id)):
                checked_organization(organization_id)
            bare.set_last_ids(manifest["lastIds"])
            # Before anything reads what was loaded: the keys as they are put back, the sums, the checks.
            show("looking at the tables")
            line_words.index(session.connection())
            derived_rows.index_documents(session.connection())
            analyze(session.connection())
        _bring_files(session, archive, manifest["lostFiles"])
    dropped: list[str] = []
    if signed is not SignedBy.KEY:
        chosen = sa.select(Organization.drop_folder).where(Organization.drop_folder.is_not(None))
        dropped = [str(each) for each in session.scalars(chosen)]
        session.execute(sa.update(Organization).values(drop_folder=None))
    if book_totals.of_all(session) != manifest["organizations"]:
        raise NotABackupError("The restored books do not match the backup; nothing was restored.")
    derived_rows.compute_again(session, now)
    return Restored(manifest, signed, dropped)


@contextmanager
def refused() -> Iterator[None]:
    """Make a sentence of whatever a file or its rows make the readers raise."""
    try:
        yield
    except sa.exc.OperationalError as error:
        raise DatabaseFailedError(
            f"The database failed ({error.orig}); nothing was restored. The file may be whole: restore it again."
        ) from error
    except UNREADABLE as error:
        reason = getattr(error, "orig", None) or error
        raise NotABackupError(
            f"The file is not a complete backup ({reason}); nothing was restored."
        ) from error


def _check_kind(manifest: Manifest, revision: str | None) -> None:
    if manifest["format"] != FORMAT:
        raise NotABackupError(f"The backup has format {manifest['format']}; this version reads {FORMAT}.")
    if manifest["revision"] != revision:
        raise OtherRevisionError(
            f"The backup is of revision {manifest['revision']} and this version of {revision}."
            " Restore it with the version that made it, then upgrade."
        )


def _check_empty(session: orm.Session) -> None:
    if session.scalar(sa.select(sa.func.count()).select_from(Organization)):
        raise BooksThereError


def _load(
    session: orm.Session,
    archive: zipfile.ZipFile,
    table: sa.Table,
    recorded: TableFacts,
    show: Show,
) -> None:
    if recorded["columns"] != [column.name for column in table.columns]:
        raise NotABackupError(f"The backup's {table.name} have other columns; nothing was restored.")
    digest, count = sha256(), 0
    connection = session.connection()
    read = reader(table, connection.dialect)
    with archive.open(member_of(table)) as member:
        lines = iter(lambda: member.readline(LONGEST_ROW), b"")
        for some in _portions(lines):
            digest.update(b"".join(some))
            rows = json.loads(b"[" + b",".join(some) + b"]")
            if len(rows) != len(some):
                raise ValueError("a line is not one row")
            count += len(some)
            show(f"loading {table.name.replace('_', ' ')}: {count:,} of {recorded['rows']:,} rows")
            insert_rows(connection, table, map(read, rows))
    if (count, digest.hexdigest()) != (recorded["rows"], recorded["sha256"]):
        raise NotABackupError(f"The backup's {table.name} are incomplete; nothing was restored.")


def _bring_files(session: orm.Session, archive: zipfile.ZipFile, lost: list[str]) -> None:
    """Bring the files beside the books back, which go again with the rows if those are taken back."""
    for stored in session.scalars(stored_files.kept()).all():
        if stored.kept_name not in lost:
            stored_files.bring_back(stored, archives.read(archive, member_of_file(stored)))
    for each in proposals.files():
        if each.name not in lost:
            data = archives.read(archive, f"{PROPOSALS}/{each.name}")
            kept_files.keep(instance_folder(PROPOSALS), data, each.name)


def _portions(lines: Iterator[bytes]) -> Iterator[list[bytes]]:
    """Yield some lines at a time: as many as are loaded at once, or fewer that are long."""
    some: list[bytes] = []
    size = 0
    for line in lines:
        some.append(line)
        size += len(line)
        if len(some) == ROWS_AT_ONCE or size >= BYTES_AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


class _Bare:
    """The tables without their indexes and triggers, and without looking at foreign keys before the end.

    Triggers refuse entries that are POSTED at birth, and would keep sums a second time. An index is made faster of all
    rows at once than row by row.
    """

    def __init__(self, session: orm.Session) -> None:
        self._session = session
        self._is_sqlite = session.connection().dialect.name == "sqlite"
        self._put_back: list[str] = []

    def __enter__(self) -> Self:
        if self._is_sqlite:
            self._run("PRAGMA defer_foreign_keys = ON")
            for kind, name, statement in self._rows(
                "SELECT type, name, sql FROM sqlite_master"
                " WHERE type IN ('index', 'trigger') AND sql IS NOT NULL ORDER BY type, rowid"
            ):
                self._put_back.append(statement)
                self._run(f'DROP {kind} "{name}"')
        else:
            foreign_keys = self._without_foreign_keys()
            self._put_back += self._without_indexes()
            for table in tables():
                # Where policies hold for the owner too, COPY is refused.
                forced = ", {}FORCE ROW LEVEL SECURITY" if is_protected(table) else ""
                self._run(f'ALTER TABLE "{table.name}" DISABLE TRIGGER USER{forced.format("NO ")}')
                self._put_back.append(f'ALTER TABLE "{table.name}" ENABLE TRIGGER USER{forced.format("")}')
            self._put_back += foreign_keys
        return self

    def __exit__(self, failed: object, *_: object) -> None:
        if failed is None:
            for statement in self._put_back:
                self._run(statement)

    def _without_foreign_keys(self) -> list[str]:
        """Drop the foreign keys; putting one back makes the database look at every row once."""
        found = self._rows(
            "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype = 'f' AND connamespace = current_schema()::regnamespace"
        )
        for table, name, _definition in found:
            self._run(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"')
        return [
            f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {definition}' for table, name, definition in found
        ]

    def _without_indexes(self) -> list[str]:
        """Drop the indexes that belong to no constraint."""
        found = self._rows(
            "SELECT c.relname, pg_get_indexdef(c.oid) FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid"
            " WHERE c.relnamespace = current_schema()::regnamespace"
            " AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid)"
        )
        for name, _definition in found:
            self._run(f'DROP INDEX "{name}"')
        return [definition for _, definition in found]

    def set_last_ids(self, last_ids: dict[str, int]) -> None:
        """Set the next id of every table to that of the backup."""
        for name in (table.name for table in tables()):
            last = last_ids.get(name)
            if not last:
                continue
            if self._is_sqlite:
                self._session.execute(sa.delete(SEQUENCES).where(SEQUENCES.c.name == name))
                self._session.execute(sa.insert(SEQUENCES).values(name=name, seq=last))
            else:
                self._session.execute(sa.select(sa.func.setval(f"{name}_id_seq", last)))

    def _run(self, statement: str) -> None:
        self._session.connection().exec_driver_sql(statement)

    def _rows(self, statement: str) -> list[Any]:
        return list(self._session.connection().exec_driver_sql(statement).all())


def insert_rows(connection: sa.Connection, table: sa.Table, rows: Iterable[Sequence[object]]) -> None:
    """Insert rows, each with all columns of the table in their order; the constraints of the table hold.

    Raises what SQLAlchemy raises where the database refuses one.
    """
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    if connection.dialect.name == "postgresql":
        _copy(connection, f'COPY "{table.name}" ({names}) FROM STDIN', rows)
        return
    places = ", ".join("?" * len(table.columns))
    statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({places})'  # noqa: S608  (names of ours)
    connection.exec_driver_sql(statement, [tuple(row) for row in rows])


def _copy(connection: sa.Connection, statement: str, rows: Iterable[Sequence[object]]) -> None:
    cursor: Any = connection.connection.cursor()
    error_class = connection.dialect.loaded_dbapi.Error
    try:
        with cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except error_class as error:
        hide_row(error)
        raise sa.exc.DBAPIError.instance(
            statement, None, error, error_class, hide_parameters=True, dialect=connection.dialect
        ) from error
