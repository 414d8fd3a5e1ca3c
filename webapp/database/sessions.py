"""The database: one declarative base, sessions that read or write, and one writer at a time in front of SQLite."""

from __future__ import annotations

import contextlib
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from flask import current_app
from flask_sqlalchemy import SQLAlchemy
from flask_sqlalchemy.session import Session
from sqlalchemy import event, orm
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as postgresql_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from webapp.database import failures, measures, postgresql, sqlite, tenancy
from webapp.database.command_limits import is_unlimited
from webapp.database.functions import from_hex
from webapp.database.session_state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import date

    Preparation = Callable[[sa.Connection], None]

BULK_PATIENCE_SECONDS = 300
# The number of an advisory lock.
PEOPLE = 50

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
    """A session on the books."""


db = SQLAlchemy(
    metadata=Base.metadata,
    session_options={"class_": BooksSession, "expire_on_commit": False},
)


def prepare_engine(engine: sa.Engine) -> None:
    """Set up an engine: pragmas, an explicit BEGIN and a queue of writers, or what PostgreSQL needs."""
    event.listen(engine, "commit", failures.refuse_lost)
    measures.watch(engine)
    if engine.dialect.name == "sqlite":
        sqlite.prepare_engine(engine)
    else:
        postgresql.prepare(engine)


@event.listens_for(BooksSession, "after_begin")
def _see(session: orm.Session, _transaction: orm.SessionTransaction, connection: sa.Connection) -> None:
    """Let each transaction of a session that was scoped to an organization see its rows."""
    tenancy.see(connection, state_of(session).organization_id)


def begin_read(organization_id: str | None = None) -> None:
    """Open the session's transaction as a read snapshot of this organization's books, or of the session's."""
    named = organization_id or state_of(db.session()).organization_id
    db.session.connection(execution_options={"read_only": True, "organization_id": named})


def end_read() -> None:
    """End the session's read snapshot; what it has read is read anew where it is asked for again.

    It is a COMMIT, since psycopg forgets what it has prepared at a ROLLBACK.
    """
    session = db.session()
    session.expire_all()
    session.commit()


def begin_write(organization_id: str | None = None) -> None:
    """Open the session's transaction to write to this organization.

    SQLite has one writer; on PostgreSQL the organization's row is locked first, so that acts on the
    same books are serial there too, and the audit chain cannot fork. What is noted as written by then was
    written past acts: it is forgotten, so that none binds it.
    """
    session = db.session()
    named = organization_id or state_of(session).organization_id
    is_new = not session.in_transaction()
    if is_new:
        locks = {"locks_books": True} if organization_id is not None else {}
        session.connection(execution_options={"organization_id": named, **locks})
    _see_in_open(session, named)
    connection = session.connection()
    if organization_id is None or (connection.info["locked"] == organization_id and not is_new):
        return
    if connection.info["locked"] != organization_id:
        lock_books(organization_id)
    _forget_notes(connection, organization_id)


def _forget_notes(connection: sa.Connection, organization_id: str) -> None:
    """Read what is noted as written before this transaction: forget the rows, and keep which proofs were touched."""
    of_books = {"organization_id": organization_id}
    found = set(connection.scalars(_notes(), of_books))
    if None in found:
        connection.execute(_forgetting(), of_books)
    connection.info["touched"][organization_id] = frozenset(found - {None})


def take_touched(organization_id: str) -> frozenset[int] | None:
    """Give the proofs that were touched before the open transaction, to the first that asks in it."""
    found: frozenset[int] | None = db.session.connection().info["touched"].pop(organization_id, None)
    return found


@cache
def _notes() -> sa.CompoundSelect[Any]:
    touched, written = (Base.metadata.tables[name].c for name in ("touched_proofs", "written_rows"))
    books: sa.BindParameter[str] = sa.bindparam("organization_id")
    proofs = sa.select(touched.reconciliation_id).where(touched.organization_id == books)
    rows = sa.select(sa.cast(sa.null(), sa.BigInteger)).where(written.organization_id == books)
    return sa.union_all(proofs, rows)


@cache
def _forgetting() -> sa.Delete:
    written = Base.metadata.tables["written_rows"]
    return sa.delete(written).where(written.c.organization_id == sa.bindparam("organization_id"))


def begin_bulk(organization_id: str, first: Preparation) -> None:
    """Open the session's transaction for a large write, whose last part locks the books with `lock_books`.

    `first` prepares data in temporary tables of the connection, while nobody waits for it. After it the transaction
    is SQLite's one writer; on PostgreSQL nobody waits before the books are locked.
    """
    if db.engine.dialect.name == "sqlite":
        db.session.connection(execution_options={"first": first})
        begin_write(organization_id)
        return
    # It writes before it locks, and what others wrote past acts is forgotten under the lock alone.
    begin_write(organization_id)
    db.session.commit()
    connection = db.session.connection()
    if not is_unlimited():
        connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{BULK_PATIENCE_SECONDS}s'")
    first(connection)


def lock_books(organization_id: str) -> None:
    """Lock this organization's books for writing; on SQLite the one writer has the lock already."""
    connection = db.session.connection()
    connection.info["locked"] = organization_id
    if connection.dialect.name == "postgresql":
        with measures.waiting_to_write():
            connection.exec_driver_sql(tenancy.lock_of(organization_id))


def lock_people() -> None:
    """Let nobody else lock the people of this installation before the transaction ends; SQLite has one writer."""
    if db.engine.dialect.name == "postgresql":
        db.session.execute(sa.select(sa.func.pg_advisory_xact_lock(PEOPLE)))


def instance_folder(name: str) -> Path:
    """The folder of the instance for files of one kind."""
    return Path(current_app.instance_path) / name


def vault_key_file() -> tuple[Path, bool]:
    """Give the file of the vault's keys, and whether the operator has named it."""
    named: Path | None = current_app.config["SETTINGS"].vault_key_file
    return named or instance_folder("vault.key"), named is not None


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


def insert_unless(table: sa.Table, dialect: str | None = None) -> Any:
    """Begin an INSERT that says `on_conflict_do_nothing` or `on_conflict_do_update`, as the books' database has it."""
    is_postgresql = (dialect or db.engine.dialect.name) == "postgresql"
    return (postgresql_insert if is_postgresql else sqlite_insert)(table)


def insert_rows(
    connection: sa.Connection,
    table: sa.Table,
    names: tuple[str, ...],
    rows: Sequence[Sequence[object]],
    shared: Mapping[str, object],
) -> None:
    """Insert rows with their own values of the columns `names`, and with `shared` values of others.

    All rows are one parameter, in JSON, which takes half of the time of a parameter for each value. Own values are
    texts, whole numbers, days, bytes, or lists and objects of a column in JSON.
    """
    text = json.dumps(rows, default=_as_text, ensure_ascii=False)
    statement = _from_json(table, names, tuple(shared), connection.dialect.name)
    connection.execute(statement, {**shared, "rows": text})


def _as_text(value: date | bytes) -> str:
    return value.hex() if isinstance(value, bytes) else value.isoformat()


@cache
def _from_json(table: sa.Table, names: tuple[str, ...], shared: tuple[str, ...], dialect: str) -> sa.Insert:
    rows: sa.ColumnElement[str] = sa.bindparam("rows", type_=sa.String)
    is_postgresql = dialect == "postgresql"
    each = sa.func.jsonb_array_elements(sa.cast(rows, JSONB)) if is_postgresql else sa.func.json_each(rows)
    row = each.table_valued(sa.column("value", sa.JSON)).c.value
    own: list[sa.ColumnElement[Any]] = []
    for place, name in enumerate(names):
        kind, value = table.c[name].type, row[place].as_string()
        if isinstance(kind, sa.LargeBinary):
            own.append(from_hex(value))
        else:
            own.append(sa.cast(value, kind) if is_postgresql else value)
    values = [sa.bindparam(name, type_=table.c[name].type) for name in shared]
    return sa.insert(table).from_select([*shared, *names], sa.select(*values, *own), include_defaults=False)


def next_ids(
    connection: sa.Connection, table: sa.Table, place: sa.ColumnElement[int]
) -> sa.ColumnElement[int]:
    """An SQL expression of new ids, for rows whose positions count up from 0.

    With it parents and children can be written without reading ids back. The transaction must be a write one.
    """
    if connection.dialect.name == "postgresql":
        return sa.func.nextval(f"{table.name}_id_seq")
    # Under BEGIN IMMEDIATE nobody else can insert, and AUTOINCREMENT continues after explicit ids.
    given = sqlite.SEQUENCES.c
    last = connection.scalar(sa.select(given.seq).where(given.name == table.name))
    return place + ((last or 0) + 1)


def joined_by_keys() -> contextlib.AbstractContextManager[None]:
    """Let PostgreSQL join what the session asks within by keys, as it is written: it begins with a few rows."""
    return postgresql.joined_by_keys(db.session.connection())


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
