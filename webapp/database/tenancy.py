"""Whose rows a transaction sees on PostgreSQL: one organization's, or everybody's for an operator's command.

A transaction says it as it begins, in the same message: as whom it asks (`SET LOCAL ROLE`), and for which organization.
Both end with it, so that a connection that goes back to the pool has neither. The policies of the tables read them.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Literal

import sqlalchemy as sa

from webapp.database import pooling

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sqlalchemy import orm

# The role of the application, which the policies hold for; nobody signs in to a small installation's database as it.
APP_ROLE: Final = "tieout_app"
ORGANIZATION: Final = re.compile("[A-Za-z0-9_-]{1,40}")
# What a transaction of maintenance sees, instead of an organization.
EVERYBODY: Final = "*"
SNAPSHOT: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
# Whether the application's role may be asked as, and whether the books may be on several nodes (Citus).
SERVER: Final = (
    "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s AND pg_has_role(oid, 'MEMBER')"
    " AND has_table_privilege(oid, to_regclass('organizations'), 'SELECT')),"
    " to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL"
)
# One connection to each node, also for what is asked of all: what was asked over several may not be followed by a write
# to what is on every node, as are people. The nodes are told what is set after this. They get the whole message, so
# that it has nothing but settings.
TELL_NODES: Final = (
    "SET LOCAL citus.multi_shard_modify_mode = 'sequential'; SET LOCAL citus.propagate_set_commands = 'local'"
)
# An act looks for rows by keys, in tables of all organizations: PostgreSQL may think a table small that is not small
# any more, or believe that it will soon meet a row that is not there.
BY_INDEX: Final = "SET LOCAL enable_seqscan = off"

_maintains: ContextVar[bool] = ContextVar("maintains", default=False)


@contextmanager
def maintenance() -> Iterator[None]:
    """Let the transactions that begin within see the books of every organization: those of an operator's command."""
    before = _maintains.set(True)
    try:
        yield
    finally:
        _maintains.reset(before)


def connected(connection: Any, record: Any) -> None:
    """Note of a new connection whether it may ask as the application's role, and whether there are nodes."""
    record.info["has_role"], record.info["has_nodes"] = connection.execute(SERVER, [APP_ROLE]).fetchone()


def begin(connection: sa.Connection, *settings: str) -> None:
    """Begin a transaction with what its connection's options say, by asking one message or two."""
    for message in beginning(connection.info, connection.get_execution_options(), *settings):
        connection.exec_driver_sql(message)


def beginning(info: dict[str, Any], options: Mapping[str, Any], *settings: str) -> list[str]:
    """Write what begins a transaction, and note in a connection's info what it will see.

    It is one message to the server. Where there are nodes that the organization is told to, that is one of its own.
    With `locks_books` the organization's row is locked as well, which is noted as `locked`.
    """
    is_bound = info["has_role"] and not _maintains.get()
    organization_id = options.get("organization_id")
    info["is_bound"], info["sees"] = is_bound, EVERYBODY if _maintains.get() else None
    info["reads_only"], info["saw_others"] = bool(options.get("read_only")), False
    told = [pooling.FOR_TRANSACTION] if info["is_pooled"] else []
    told += settings
    if info["sees"] is None and organization_id is not None:
        told.append(of_organization(organization_id))
        info["sees"] = organization_id
    info["locked"], info["touched"] = None, {}
    if options.get("locks_books") and organization_id is not None and not info["has_nodes"]:
        told += [BY_INDEX, lock_of(organization_id)]
        info["locked"] = organization_id
    steps = [SNAPSHOT if options.get("read_only") else "BEGIN"]
    if is_bound:
        steps.append(f"SET LOCAL ROLE {APP_ROLE}")
    messages = [[*steps, TELL_NODES], told] if info["has_nodes"] else [steps + told]
    return ["; ".join(message) for message in messages if message]


def see(connection: sa.Connection, organization_id: str | None) -> None:
    """Let the rest of the open transaction see the rows of this organization, on PostgreSQL."""
    if connection.dialect.name != "postgresql" or organization_id is None:
        return
    if connection.info["sees"] in {EVERYBODY, organization_id}:
        return
    driver: Any = connection.connection.dbapi_connection
    if driver.info.transaction_status == driver.info.transaction_status.INERROR:
        # It goes back to a savepoint, and to the organization of that moment.
        connection.info["sees"] = None
        return
    connection.exec_driver_sql(of_organization(organization_id))
    connection.info["saw_others"] |= connection.info["sees"] is not None
    connection.info["sees"] = organization_id


def is_bound(session: orm.Session) -> bool:
    """Return whether the database shows the session's transaction the rows of its organization only."""
    bound: bool = session.connection().info.get("is_bound", False)
    return bound


def has_nodes(session: orm.Session) -> bool:
    """Return whether the session's database may have its books on several nodes."""
    found: bool = session.connection().info.get("has_nodes", False)
    return found


def seen_organization(session: orm.Session) -> str | None:
    """Give the organization whose rows the session's transaction sees; none where it sees those of all, or none."""
    found: str | None = session.connection().info.get("sees")
    return None if found == EVERYBODY else found


def see_books_of(session: orm.Session, kind: Literal["token", "session", "invitation"], digest: str) -> None:
    """Let the session's transaction see the books that a secret opens, which says nothing of whose they are."""
    if is_bound(session):
        found = session.scalar(sa.text(f"SELECT organization_of_{kind}(:digest)"), {"digest": digest})
        see(session.connection(), found)


@contextmanager
def asking_owner(session: orm.Session) -> Iterator[sa.Connection]:
    """Give the connection on which to ask a function of the owner: where there are nodes it is one of its own.

    Citus lets a transaction that wrote as one role ask as no other. What the session wrote is not seen there, and what
    is done there is done at once.
    """
    connection = session.connection()
    if not connection.info.get("has_nodes"):
        yield connection
        return
    with connection.engine.begin() as own:
        yield own


def count_in_all_books(session: orm.Session, function: str, rows: sa.Select[int]) -> int:
    """Count rows of all organizations: where policies hide them, by a definer function of the owner."""
    if is_bound(session):
        with asking_owner(session) as connection:
            return int(connection.scalar(sa.select(getattr(sa.func, function)())) or 0)
    return session.scalar(rows, execution_options={"across_organizations": True}) or 0


def rows_of(function: str, value: int, table: sa.FromClause) -> sa.TextClause:
    """Select the rows of a table that a definer function finds by a value, past the policies."""
    columns = ", ".join(table.c.keys())
    return sa.text(f"SELECT {columns} FROM {function}(:value)").bindparams(value=value)  # noqa: S608  (our names)


def of_organization(organization_id: str) -> str:
    """Set the organization; a text that can be none, as of a cookie that somebody wrote, sees nothing."""
    return f"SET LOCAL tieout.organization = '{_named(organization_id)}'"


def lock_of(organization_id: str) -> str:
    """Lock the row of an organization, to write to its books."""
    return f"SELECT 1 FROM organizations WHERE id = '{_named(organization_id)}' FOR NO KEY UPDATE"  # noqa: S608


def _named(organization_id: str) -> str:
    return organization_id if ORGANIZATION.fullmatch(organization_id) else ""
