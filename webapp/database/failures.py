"""What a failure outside the program means: of the database at a statement or at COMMIT, of a disk with a file.

Each answer is true of the books after it. Only a COMMIT can end in between: who sent it and got no answer does not
know what became of it.
"""

import errno
import re
from collections.abc import Iterator
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.exc import DBAPIError

from webapp.database.session_state import state_of
from webapp.ledger.errors import LedgerError

# Primary result codes of SQLite: after these at COMMIT it has taken everything back.
SQLITE_FULL: Final = 13
SQLITE_READ_ONLY: Final = 8
SQLITE_TAKEN_BACK: Final = frozenset({5, 6, SQLITE_FULL, 19})
PRIMARY: Final = 0xFF
# PostgreSQL's SQLSTATE of a full disk, and the severity of errors after which it goes on with the connection.
PG_DISK_FULL: Final = "53100"
PG_GOES_ON: Final = "ERROR"
# A database that may only be read, such as a standby, and a transaction that can only be taken back.
PG_UNAVAILABLE: Final = frozenset({"25006", "25P02"})
# PostgreSQL's SQLSTATE of a number beyond its type, what SQLite says of a sum, and constraints on sums that it would
# keep as floats.
PG_BEYOND: Final = "22003"
BEYOND: Final = re.compile("integer.overflow|within_reach")
DRIVERS: Final = frozenset({"psycopg", "psycopg_pool", "pysqlite3", "sqlite3"})
FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
UNAVAILABLE: Final = frozenset({errno.EIO, errno.EROFS, errno.EMFILE, errno.ENFILE})


class BusyError(LedgerError):
    """The books are busy; try again in a few seconds."""

    status = 503
    code = "busy"


class DiskFullError(LedgerError):
    """The disk is full. Nothing was changed, and reading goes on; free space on it, then send this again."""

    status = 503
    code = "disk_full"


class UnavailableError(LedgerError):
    """The database or its disk could not do this. Nothing was changed; try again in a few seconds."""

    status = 503
    code = "busy"


class RefusedCommitError(UnavailableError):
    """The database did not store this. Nothing was changed; try again in a few seconds."""


class UnknownOutcomeError(LedgerError):
    """It is not known whether this was stored. Send it again under the same Idempotency-Key to find out."""

    status = 503
    code = "unknown_outcome"


def commit(session: orm.Session) -> None:
    """Commit a session's transaction; raises DiskFullError, RefusedCommitError or UnknownOutcomeError.

    What is still to be written is written before it, and fails as any statement does. Where the outcome is not known
    the files that wait for it stay as they are, and the sweeps decide on them.
    """
    session.flush()
    try:
        session.commit()
    except DBAPIError as error:
        failure = of_commit(error)
        if isinstance(failure, UnknownOutcomeError):
            state_of(session).at_end.clear()
        session.rollback()
        raise failure from error


def is_too_large(error: DBAPIError) -> bool:
    """Return whether a statement failed because a sum would be beyond 64 bits."""
    return getattr(error.orig, "sqlstate", None) == PG_BEYOND or bool(BEYOND.search(str(error.orig)))


def refuse_lost(connection: sa.Connection) -> None:
    """Refuse to commit a transaction that the database has ended: it would store nothing, and call that a success."""
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite":
        is_lost = not driver.in_transaction
    else:
        is_lost = driver.info.transaction_status == driver.info.transaction_status.INERROR
    if is_lost:
        raise RefusedCommitError


def of_commit(error: DBAPIError) -> LedgerError:
    """Give what an error at COMMIT means."""
    if error.connection_invalidated or not _is_taken_back(error.orig):
        return UnknownOutcomeError()
    return DiskFullError() if _is_full(error.orig) else RefusedCommitError()


def of_statement(error: BaseException) -> LedgerError:
    """Give what an error at a statement means: nothing is stored before a COMMIT.

    SQLite ends a whole transaction when its disk is full, and what then fails is the end of a savepoint.
    """
    return DiskFullError() if any(_is_full(each) for each in _chain(error)) else UnavailableError()


def is_of_driver(error: BaseException) -> bool:
    """Return whether the database failed past SQLAlchemy, by the names that drivers share (PEP 249)."""
    kinds = type(error).__mro__
    is_driver = any(each.__module__.partition(".")[0] in DRIVERS for each in kinds)
    return is_driver and bool({"OperationalError", "InterfaceError"} & {each.__name__ for each in kinds})


def of_file(error: OSError) -> LedgerError | None:
    """Give what an error with a file means; none where it is not the disk's."""
    if error.errno in FULL:
        return DiskFullError()
    return UnavailableError() if error.errno in UNAVAILABLE else None


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    """Walk an error, what it was raised from, and what was being handled when it was raised."""
    seen: set[int] = set()
    waiting = [error]
    while waiting:
        each = waiting.pop()
        if each is not None and id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += [each.__cause__, each.__context__, getattr(each, "orig", None)]


def _is_full(error: BaseException | None) -> bool:
    if isinstance(error, OSError):
        return error.errno in FULL
    return _sqlite_code(error) == SQLITE_FULL or getattr(error, "sqlstate", None) == PG_DISK_FULL


def _is_taken_back(error: BaseException | None) -> bool:
    """Return whether a database that refused a COMMIT has said that nothing of it stays."""
    if _sqlite_code(error) is not None:
        return _sqlite_code(error) in SQLITE_TAKEN_BACK
    severity = getattr(getattr(error, "diag", None), "severity_nonlocalized", None)
    return severity == PG_GOES_ON


def _sqlite_code(error: BaseException | None) -> int | None:
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & PRIMARY
