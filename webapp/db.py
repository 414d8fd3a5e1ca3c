"""The database: one declarative base, sessions that read or write, and one writer at a time in front of SQLite."""

from __future__ import annotations

import contextlib
import fcntl
import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from flask import current_app
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import event, orm

from webapp import failures, postgresql, sqlite, tenancy
from webapp.command_limits import is_unlimited
from webapp.ledger.errors import LedgerError
from webapp.session_state import SessionNeededError, open_snapshot, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from webapp.replicas import Replica, Replicas

    Preparation = Callable[[sa.Connection], None]

WRITER_PATIENCE_SECONDS = 30.0
BULK_PATIENCE_SECONDS = 300

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(orm.DeclarativeBase):
    """The base class of all models."""

    metadata = sa.MetaData(naming_convention=NAMING)


class BusyError(LedgerError):
    """The books are busy; try again in a few seconds."""

    status = 503
    code = "busy"


class BooksSession(Session):
    """A session on the books, or on the private copy of them that its state names."""

    def get_bind(self, *arguments: Any, **named: Any) -> sa.Engine | sa.Connection:
        """Give the engine of a statement; raises SessionNeededError while a snapshot is read."""
        if open_snapshot.get() is not None:
            raise SessionNeededError
        state = state_of(self)
        return state.private_engine or state.replica_engine or super().get_bind(*arguments, **named)


db = SQLAlchemy(metadata=Base.metadata, session_options={"class_": BooksSession, "expire_on_commit": False})


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
    """Set up an engine: pragmas, an explicit BEGIN and a queue of writers, or what PostgreSQL needs."""
    event.listen(engine, "commit", failures.refuse_lost)
    if engine.dialect.name == "sqlite":
        _prepare_sqlite(engine)
    else:
        postgresql.prepare(engine)


def _prepare_sqlite(engine: sa.Engine) -> None:
    engine.dialect.statement_compiler = sqlite.Compiler
    writer = Writer(Path(f"{engine.url.database}.lock"))

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.isolation_level = None
        sqlite.prepare(connection)
        connection.create_function("fold", 1, lambda text: text and text.lower(), deterministic=True)

    @event.listens_for(engine, "begin")
    def begin(connection: sa.Connection) -> None:
        if is_unlimited():
            connection.exec_driver_sql(sqlite.LARGE_CACHE)
        options = connection.get_execution_options()
        if options.get("read_only"):
            connection.exec_driver_sql("BEGIN")
            return
        first = options.get("first")
        if first is not None:
            first(connection)
        writer.acquire(options.get("patience", WRITER_PATIENCE_SECONDS))
        connection.info["is_writer"] = True
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    # The commit event fires before the commit; a connection returns to the pool after it.
    @event.listens_for(engine, "checkin")
    def checkin(_connection: Any, record: Any) -> None:
        if record.info.pop("is_writer", False):
            writer.release()


@event.listens_for(BooksSession, "after_begin")
def _see(session: orm.Session, _transaction: orm.SessionTransaction, connection: sa.Connection) -> None:
    """Let each transaction of a session that was scoped to an organization see its rows."""
    tenancy.see(connection, state_of(session).organization_id)


@event.listens_for(BooksSession, "after_transaction_end")
def _leave_replica(session: orm.Session, transaction: orm.SessionTransaction) -> None:
    if transaction.parent is None:
        state_of(session).replica_engine = None


def begin_read(*, may_ask_replica: bool = False) -> None:
    """Open the session's transaction as a read snapshot, of a replica that is far enough where that is allowed."""
    state = state_of(db.session())
    options: dict[str, Any] = {"read_only": True, "organization_id": state.organization_id}
    found = replicas() if may_ask_replica and state.private_engine is None else None

    def ask(replica: Replica, needed: int) -> None:
        state.replica_engine = replica.engine
        try:
            db.session.connection(execution_options={**options, "replayed": needed})
        except BaseException:
            db.session.rollback()
            raise

    if found is None or state.organization_id is None or not found.asking(state.organization_id, ask):
        db.session.connection(execution_options=options)


def replicas() -> Replicas | None:
    """Give the replicas of this installation, where it has some."""
    found: Replicas | None = current_app.extensions.get("replicas")
    return found


def begin_write(organization_id: str | None = None) -> None:
    """Open the session's transaction to write to this organization.

    SQLite has one writer; on PostgreSQL the organization's row is locked first, so that acts on the
    same books are serial there too, and the audit chain cannot fork.
    """
    named = organization_id or state_of(db.session()).organization_id
    if not db.session().in_transaction():
        db.session.connection(execution_options={"organization_id": named})
    _see_in_open(named)
    if organization_id is not None:
        lock_books(organization_id)


def begin_bulk(first: Preparation) -> None:
    """Open the session's transaction for a large write, whose last part locks the books with `lock_books`.

    `first` prepares data in temporary tables of the connection, while nobody waits for it. After it the transaction
    is SQLite's one writer; on PostgreSQL nobody waits before the books are locked.
    """
    if db.engine.dialect.name == "sqlite":
        db.session.connection(execution_options={"first": first})
        return
    connection = db.session.connection()
    if not is_unlimited():
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{BULK_PATIENCE_SECONDS}s'")
    first(connection)


def lock_books(organization_id: str) -> None:
    """Lock this organization's books for writing; on SQLite the one writer has the lock already."""
    if db.engine.dialect.name == "postgresql":
        statement = sa.text("SELECT 1 FROM organizations WHERE id = :id FOR NO KEY UPDATE")
        db.session.connection().execute(statement, {"id": organization_id})


def instance_folder(name: str) -> Path:
    """The folder of the instance for files of one kind."""
    return Path(current_app.instance_path) / name


def scope_session(organization_id: str) -> None:
    """Restrict this session to one organization, as a safeguard behind the queries."""
    state_of(db.session()).organization_id = organization_id
    _see_in_open(organization_id)


@contextlib.contextmanager
def scoped_session(organization_id: str) -> Iterator[None]:
    """Restrict this session to one organization while the block lasts."""
    state = state_of(db.session())
    before, state.organization_id = state.organization_id, organization_id
    _see_in_open(organization_id)
    try:
        yield
    finally:
        state.organization_id = before
        _see_in_open(before)


def _see_in_open(organization_id: str | None) -> None:
    """Let a transaction that is open already see this organization's rows; one that failed only waits for its end."""
    if db.session().in_transaction() and db.session().is_active:
        tenancy.see(db.session.connection(), organization_id)


def next_ids(
    connection: sa.Connection, table: sa.Table, place: sa.ColumnElement[int]
) -> sa.ColumnElement[int]:
    """An SQL expression of new ids, for rows whose positions count up from 0.

    With it parents and children can be written without reading ids back. The transaction must be a write one.
    """
    if connection.dialect.name == "postgresql":
        return sa.func.nextval(f"{table.name}_id_seq")
    # Under BEGIN IMMEDIATE nobody else can insert, and AUTOINCREMENT continues after explicit ids.
    last = connection.scalar(
        sa.text("SELECT seq FROM sqlite_sequence WHERE name = :name"), {"name": table.name}
    )
    return place + ((last or 0) + 1)


@contextlib.contextmanager
def own_transaction(*, waits: bool = True, organization_id: str | None = None) -> Iterator[orm.Session]:
    """Write in a separate short transaction, after the request's has ended.

    The request's session must have released its connection: SQLite has one writer. With `waits=False` it raises
    BusyError where somebody else is that writer.
    """
    patience = WRITER_PATIENCE_SECONDS if waits else 0
    engine = db.engine.execution_options(organization_id=organization_id, patience=patience)
    with orm.Session(engine, expire_on_commit=False) as session:
        yield session
        failures.commit(session)
