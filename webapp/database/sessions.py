"""The database: one declarative base, sessions that read or write, and one writer at a time in front of SQLite."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from flask import current_app
from flask.globals import _cv_app, app_ctx
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import event, orm

from webapp.database import failures, postgresql, sqlite, tenancy
from webapp.database.command_limits import is_unlimited
from webapp.database.session_state import SessionNeededError, open_snapshot, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Preparation = Callable[[sa.Connection], None]

BULK_PATIENCE_SECONDS = 300
# More rows are sent at once, without waiting for the answer to each.
FEW_ROWS = 8

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


class BooksSession(Session):
    """A session on the books, or on the replica of them that its state names."""

    def get_bind(self, *_arguments: Any, **_named: Any) -> sa.Engine | sa.Connection:
        """Give the engine of a statement; raises SessionNeededError while a snapshot is read."""
        if open_snapshot.get() is not None:
            raise SessionNeededError
        return db.engine

    def connection(self, bind_arguments: Any = None, execution_options: Any = None) -> sa.Connection:
        """Give the connection of the open transaction, or open one; within it, it is found once."""
        state = state_of(self)
        is_plain = bind_arguments is None and execution_options is None
        if state.connection is None or not is_plain or open_snapshot.get() is not None:
            state.connection = super().connection(bind_arguments, execution_options)
        return state.connection


def _scope() -> int:
    """Tell which context of the application a session is for; it is asked for some fifty times in a request."""
    return id(_cv_app.get(None) or app_ctx._get_current_object())  # type: ignore[attr-defined]  # noqa: SLF001


db = SQLAlchemy(
    metadata=Base.metadata,
    session_options={"class_": BooksSession, "expire_on_commit": False, "scopefunc": _scope},
)


def prepare_engine(engine: sa.Engine) -> None:
    """Set up an engine: pragmas, an explicit BEGIN and a queue of writers, or what PostgreSQL needs."""
    event.listen(engine, "commit", failures.refuse_lost)
    if engine.dialect.name == "sqlite":
        sqlite.prepare_engine(engine)
    else:
        postgresql.prepare(engine)


@event.listens_for(BooksSession, "after_begin")
def _see(session: orm.Session, _transaction: orm.SessionTransaction, connection: sa.Connection) -> None:
    """Let each transaction of a session that was scoped to an organization see its rows."""
    tenancy.see(connection, state_of(session).organization_id)


@event.listens_for(BooksSession, "after_transaction_create")
@event.listens_for(BooksSession, "after_soft_rollback")
def _find_connection_anew(session: orm.Session, _transaction: orm.SessionTransaction) -> None:
    """Let the session find its connection anew: a savepoint is set as it is asked for, and one may have failed."""
    state_of(session).connection = None


@event.listens_for(BooksSession, "after_transaction_end")
def _leave(session: orm.Session, _transaction: orm.SessionTransaction) -> None:
    state_of(session).connection = None


def begin_read() -> None:
    """Open the session's transaction as a read snapshot."""
    options = {"read_only": True, "organization_id": state_of(db.session()).organization_id}
    db.session.connection(execution_options=options)


def begin_write(organization_id: str | None = None) -> None:
    """Open the session's transaction to write to this organization.

    SQLite has one writer; on PostgreSQL the organization's row is locked first, so that acts on the
    same books are serial there too, and the audit chain cannot fork.
    """
    session = db.session()
    named = organization_id or state_of(session).organization_id
    if not session.in_transaction():
        locks = {"locks_books": True} if organization_id is not None else {}
        session.connection(execution_options={"organization_id": named, **locks})
    _see_in_open(session, named)
    if organization_id is not None and session.connection().info.get("locked") != organization_id:
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
        db.session.connection().exec_driver_sql(tenancy.lock_of(organization_id))


def instance_folder(name: str) -> Path:
    """The folder of the instance for files of one kind."""
    return Path(current_app.instance_path) / name


def scope_session(organization_id: str) -> None:
    """Restrict this session to one organization, as a safeguard behind the queries."""
    session = db.session()
    state_of(session).organization_id = organization_id
    _see_in_open(session, organization_id)


@contextlib.contextmanager
def scoped_session(organization_id: str) -> Iterator[None]:
    """Restrict this session to one organization while the block lasts."""
    session = db.session()
    state = state_of(session)
    before, state.organization_id = state.organization_id, organization_id
    _see_in_open(session, organization_id)
    try:
        yield
    finally:
        state.organization_id = before
        _see_in_open(session, before)


def _see_in_open(session: orm.Session, organization_id: str | None) -> None:
    """Let a transaction that is open already see this organization's rows; one that failed only waits for its end."""
    if session.in_transaction() and session.is_active:
        tenancy.see(session.connection(), organization_id)


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


def run_text(
    connection: sa.Connection, text: str, values: dict[str, Any] | list[dict[str, Any]]
) -> Sequence[Any]:
    """Send a text to the driver in the open transaction of a connection, and give the rows that it returns.

    It is run with some values, or once with each of a list of them. Who listens to statements hears of it, and errors
    are SQLAlchemy's, which takes some 65 microseconds to do the same.
    """
    is_many = isinstance(values, list)
    # Nobody listens to a connection alone, whose own would be joined with these anew.
    dispatch: Any = connection.engine.dispatch
    sent: Any = values
    with postgresql.asking_driver(connection) as driver:
        cursor = driver.cursor()
        for before in dispatch.before_cursor_execute:
            text, sent = before(connection, cursor, text, sent, None, is_many)
        (cursor.executemany if is_many else cursor.execute)(text, sent)
        for after in dispatch.after_cursor_execute:
            after(connection, cursor, text, sent, None, is_many)
        found: Sequence[Any] = cursor.fetchall() if cursor.description else ()
    return found


def run_planned(connection: sa.Connection, text: str, values: list[dict[str, Any]]) -> Sequence[Any]:
    """Run a text with each of some values, and give the rows that it returns; PostgreSQL keeps its plan."""
    if len(values) <= FEW_ROWS and postgresql.keeps_plans(connection):
        return [row for each in values for row in postgresql.change(connection, text, each)]
    if len(values) == 1:
        return run_text(connection, text, values[0])
    return run_text(connection, text, values) if values else []


@contextlib.contextmanager
def joined_by_keys() -> Iterator[None]:
    """Let PostgreSQL join what the session asks within by keys, as it is written: it begins with a few rows."""
    connection = db.session.connection()
    is_postgresql = connection.dialect.name == "postgresql"
    with postgresql.joined_by_keys(connection) if is_postgresql else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def own_transaction(*, waits: bool = True, organization_id: str | None = None) -> Iterator[orm.Session]:
    """Write in a separate short transaction, after the request's has ended.

    The request's session must have released its connection: SQLite has one writer. With `waits=False` it raises
    BusyError where somebody else is that writer.
    """
    patience = sqlite.WRITER_PATIENCE_SECONDS if waits else 0
    engine = db.engine.execution_options(organization_id=organization_id, patience=patience)
    with orm.Session(engine, expire_on_commit=False) as session:
        yield session
        failures.commit(session)
