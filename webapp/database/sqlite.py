"""What SQLite needs: safe pragmas, WAL where the library does not damage it, and a queue of writers."""

import contextlib
import fcntl
import os
import threading
import time
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import event

from webapp.config import UnsafeSettingError
from webapp.database import measures
from webapp.database.command_limits import is_unlimited
from webapp.database.failures import PRIMARY, SQLITE_READ_ONLY, BusyError

# Older ones have the WAL-reset bug: https://sqlite.org/wal.html
FIRST_SAFE_WAL_VERSION: Final = (3, 51, 3)
PATIENCE_MILLISECONDS: Final = 5000
WRITER_PATIENCE_SECONDS: Final = 30.0
# For commands, which read or write whole books in one transaction: with the usual 2 MiB most pages are read again and
# again. In KiB; only what is read takes memory.
LARGE_CACHE: Final = "PRAGMA cache_size=-262144"
_PRAGMAS: Final = (
    "synchronous=FULL",
    "foreign_keys=ON",
    "recursive_triggers=ON",
    "trusted_schema=OFF",
    "cell_size_check=ON",
)


# What ids each table has given out.
SEQUENCES: Final = sa.table("sqlite_sequence", sa.column("name", sa.String), sa.column("seq", sa.BigInteger))


class Writer:
    """The queue of writers to a SQLite file: a lock in the process and one on a file.

    SQLite's own busy handler sleeps in growing steps, so that even a few writers wait for
    hundreds of milliseconds; with a queue in front of it writers wait and do not fail.
    """

    def __init__(self, lock_file: Path) -> None:
        self._threads = threading.Lock()
        self._lock_file = lock_file
        self._descriptor: int | None = None

    def acquire(self, patience: float) -> None:
        """Become the writer, or raise BusyError after this many seconds; with 0 only if nobody else is."""
        deadline = time.monotonic() + patience
        if not self._threads.acquire(timeout=patience):
            raise BusyError
        try:
            self._lock(deadline)
        except BaseException:
            self._threads.release()
            raise

    def release(self) -> None:
        """Let the next writer in."""
        if self._descriptor is not None:
            fcntl.flock(self._descriptor, fcntl.LOCK_UN)
        self._threads.release()

    def _lock(self, deadline: float) -> None:
        if self._descriptor is None:
            self._descriptor = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() > deadline:
                raise BusyError
            time.sleep(0.001)


def prepare_engine(engine: sa.Engine) -> None:
    """Set up an engine: pragmas, an explicit BEGIN and a queue of writers."""
    writer = Writer(Path(f"{engine.url.database}.lock"))

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        prepare(connection)
        connection.create_function("fold", 1, lambda text: text and text.lower(), deterministic=True)
        connection.create_function(
            "from_hex", 1, lambda text: text and bytes.fromhex(text), deterministic=True
        )

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        if is_unlimited():
            connection.exec_driver_sql(LARGE_CACHE)
        options = connection.get_execution_options()
        connection.info["locked"], connection.info["touched"] = None, {}
        if options.get("read_only"):
            connection.exec_driver_sql("BEGIN")
            return
        first = options.get("first")
        if first is not None:
            first(connection)
        with measures.waiting_to_write():
            writer.acquire(options.get("patience", WRITER_PATIENCE_SECONDS))
        connection.info["is_writer"] = True
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    @event.listens_for(engine, "handle_error")
    def failed(context: sa.engine.ExceptionContext) -> None:
        # What SQLite opened while the disk could only be read stays so, and so do all in a process beside one of it.
        code = getattr(context.original_exception, "sqlite_errorcode", None) or 0
        if code & PRIMARY == SQLITE_READ_ONLY:
            context.is_disconnect = True
            engine.dispose()

    # The commit event fires before the commit; a connection returns to the pool after it.
    @event.listens_for(engine, "checkin")
    def checkin(_connection: Any, record: Any) -> None:
        if record.info.pop("is_writer", False):
            writer.release()


def has_begun(connection: sa.Connection) -> bool:
    """Return whether a transaction of SQLite is open, which a statement outside any would end at once."""
    driver: Any = connection.connection.dbapi_connection
    return bool(driver.in_transaction)


def without_foreign_keys(connection: sa.Connection) -> None:
    """Look away from foreign keys in the transaction that this connection begins next."""
    driver: Any = connection.connection.dbapi_connection
    driver.execute("PRAGMA foreign_keys=OFF")


def prepare(connection: Any) -> None:
    """Run the pragmas; raises UnsafeSettingError where an affected library finds the books kept in WAL mode."""
    connection.execute(f"PRAGMA busy_timeout={PATIENCE_MILLISECONDS}")
    version = connection.execute("SELECT sqlite_version()").fetchone()[0]
    if is_safe(version):
        connection.execute("PRAGMA journal_mode=WAL")
    elif not _leaves_wal(connection):
        raise UnsafeSettingError(
            f"SQLite {version} can damage books in WAL mode, and another program keeps them in it. "
            "Stop that program, or bring this one up to date: .ci/environment requirements.lock"
        )
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")


def is_safe(version: str) -> bool:
    """Tell whether a version of SQLite keeps books in WAL mode undamaged.

    >>> is_safe("3.51.2"), is_safe("3.51.10")
    (False, True)
    """
    return tuple(map(int, version.split("."))) >= FIRST_SAFE_WAL_VERSION


def _leaves_wal(connection: Any) -> bool:
    """Leave WAL mode, and return whether that was possible: not while another program has the books open in it."""
    import pysqlite3  # noqa: PLC0415  (needed for SQLite only)

    try:
        (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    except pysqlite3.OperationalError:
        (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    return bool(mode != "wal")
