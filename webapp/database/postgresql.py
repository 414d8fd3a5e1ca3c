"""What PostgreSQL needs: errors without rows, limits of time, and statistics at the end of bulk writes.

Its planner knows how large a table is from ANALYZE alone. After an import the server would read the new lines by plans
for the few that were there before, until autovacuum comes by: for a minute or more, and a hundred times as slowly.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import event

from webapp.database import failures, pooling, roles, tenancy
from webapp.database.command_limits import is_unlimited
from webapp.database.messages import AS_EVER, BY_KEYS, Planning

if TYPE_CHECKING:
    from collections.abc import Iterator

# The first transaction of new books may write thousands of rows: with a plan that is kept from when there were none,
# each statement reads them all, and a demo took minutes.
NO_LIMITS: Final = (
    "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0;"
    " SET LOCAL plan_cache_mode = force_custom_plan"
)
# A transaction that changes fewer rows changes no plan.
BULK_ROWS: Final = 1000
# The share of a table's rows whose change makes its statistics old: autovacuum's own measure.
OLD_SHARE: Final = 0.1
# A sample of 300 rows for each: enough for a plan, and taken in a moment while others may wait for this transaction.
# Autovacuum takes a larger one when it comes by.
QUICK_TARGET: Final = 30
WRITES: Final = ("INSERT", "UPDATE", "DELETE", "MERGE")
# A table that had no rows when it was looked at is thought to have one: beside a large one that is the worst of plans.
OLD_STATISTICS: Final = sa.text("""
    SELECT c.oid::regclass::text FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace
    AND (c.reltuples <= 0 OR pg_stat_get_mod_since_analyze(c.oid) + pg_stat_get_xact_tuples_inserted(c.oid)
        + pg_stat_get_xact_tuples_updated(c.oid) + pg_stat_get_xact_tuples_deleted(c.oid)
        > :least + :share * c.reltuples)
    ORDER BY 1""")
# The same for the application's role, to which the tables do not belong (migrations/sql/postgresql/0082_owner.sql).
REFRESH: Final = sa.text("SELECT refresh_statistics(:least, :share)")

STRONG_ROLE: Final = sa.text("""
    SELECT CASE WHEN rolsuper THEN 'is a superuser' WHEN rolbypassrls THEN 'may bypass row-level security'
           WHEN rolcreaterole THEN 'may create roles' END
    FROM pg_roles WHERE rolname = CASE current_user WHEN :role THEN session_user ELSE current_user END""")
HURRIED_DISK: Final = sa.text("""
    SELECT string_agg(name, ' and ' ORDER BY name) FROM pg_settings
    WHERE name IN ('fsync', 'full_page_writes') AND setting = 'off'""")


def prepare(engine: sa.Engine) -> None:
    """Set up an engine of PostgreSQL."""
    event.listen(engine, "connect", pooling.connected)
    event.listen(engine, "connect", tenancy.connected)
    event.listen(engine, "handle_error", _hide_row)
    event.listen(engine, "begin", _begin)
    event.listen(engine, "before_cursor_execute", _insert_under_policies, retval=True)
    event.listen(engine, "after_cursor_execute", _count)
    event.listen(engine, "commit", refresh_statistics)
    event.listen(engine, "checkout", pooling.checkout)
    event.listen(engine, "reset", pooling.reset)


@contextmanager
def asking_driver(connection: sa.Connection) -> Iterator[Any]:
    """Give the driver's connection; its errors are SQLAlchemy's, as those of a statement are."""
    driver: Any = connection.connection.dbapi_connection
    base = connection.dialect.loaded_dbapi.Error
    try:
        yield driver
    except base as error:
        wrapped = failures.of_driver(error, connection, driver)
        if wrapped.connection_invalidated:
            connection.invalidate(error)
        raise wrapped from error


def ask(
    connection: sa.Connection,
    text: str,
    values: dict[str, Any] | None = None,
    planning: Planning = Planning.ANEW,
) -> list[Any]:
    """Ask a text in one message, and give the rows of its last question; errors are SQLAlchemy's.

    Who listens to statements hears of it. Where there are nodes, they join as they do.
    """
    said = _after_listeners(connection, text, values or {})
    messages, planned = connection.info["messages"], tenancy.planned_on(connection.info, planning)
    with asking_driver(connection):
        written = messages.written(*said, planned)
        found: list[list[Any]] = messages.ask(written)
    return found[-1] if found else []


@contextmanager
def joined_by_keys(connection: sa.Connection) -> Iterator[None]:
    """Let what is asked within be planned as `Planning.BY_KEYS`; where there are nodes, they join as they do."""
    if tenancy.planned_on(connection.info, Planning.BY_KEYS) is not Planning.BY_KEYS:
        yield
        return
    ask(connection, BY_KEYS)
    yield
    # After an error the transaction ends, and what was set with it.
    ask(connection, AS_EVER)


def keeps_plans(connection: sa.Connection) -> bool:
    """Tell whether a server keeps plans for a connection: it is PostgreSQL, and no pooler is in between."""
    messages = connection.info.get("messages")
    return messages is not None and bool(messages.keeps_plans)


def change(connection: sa.Connection, text: str, values: dict[str, Any]) -> list[Any]:
    """Change rows by a text whose plan is kept, and give those that it returns; errors are SQLAlchemy's.

    Who listens to statements hears of it.
    """
    said = _after_listeners(connection, text, values)
    with asking_driver(connection):
        answer = connection.info["messages"].change(*said)
    dispatch: Any = connection.engine.dispatch
    for after in dispatch.after_cursor_execute:
        after(connection, answer, *said, None, False)  # noqa: FBT003  (SQLAlchemy's own)
    rows: list[Any] = answer.rows
    return rows


def _after_listeners(connection: sa.Connection, text: str, values: dict[str, Any]) -> Any:
    """Tell who listens to statements of one, and give the text and the values that they make of it."""
    dispatch: Any = connection.engine.dispatch
    said: Any = text, values
    for before in dispatch.before_cursor_execute:
        said = before(connection, None, *said, None, False)  # noqa: FBT003  (SQLAlchemy's own)
    return said


def analyze(connection: sa.Connection) -> None:
    """Take the statistics of every table anew, also of what this transaction wrote; SQLite's planner needs none."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql("ANALYZE")


def weaknesses(connection: sa.Connection) -> dict[str, str]:
    """Find what makes this database less safe than it could be: a sentence by its code, with the way to mend it."""
    if connection.dialect.name != "postgresql":
        return {}
    found = {"database_role": strong_role(connection), "database_disk": hurried_disk(connection)}
    return {code: sentence for code, sentence in found.items() if sentence}


def hurried_disk(connection: sa.Connection) -> str | None:
    """Say that the server does not wait for its disk, and what to set; None where it does."""
    names = connection.scalar(HURRIED_DISK)
    if names is None:
        return None
    return (
        f"The PostgreSQL server has switched off {names}: a loss of power can destroy these books. "
        "Switch it on again in postgresql.conf."
    )


def strong_role(connection: sa.Connection) -> str | None:
    """Say what the role of the books may do and should not, and how to mend it; None where that is nothing."""
    right = connection.scalar(STRONG_ROLE, {"role": tenancy.APP_ROLE})
    if right is None:
        return roles.unbound(connection)
    return (
        f"The database role {connection.engine.url.username or 'of DATABASE_URL'} {right}: whoever gets hold of it "
        "can change more than these books. Make a role that owns only this database: docs/operating.md, PostgreSQL."
    )


def _begin(connection: sa.Connection) -> None:
    connection.info["changed_rows"] = 0
    tenancy.begin(
        connection, lambda message: ask(connection, message), *([NO_LIMITS] if is_unlimited() else [])
    )


def _insert_under_policies(
    connection: sa.Connection,
    _cursor: Any,
    statement: str,
    parameters: Any,
    context: Any,
    _is_many: bool,  # noqa: FBT001  (as the event calls)
) -> tuple[str, Any]:
    """Let nodes insert what a question finds by INSERT: without a clause of conflicts they COPY, which policies refuse.

    A key of an id that was just drawn meets no other one; where it does, a node leaves out the row, and the keys and
    sums that follow refuse the rest of the transaction.
    """
    if not (
        connection.info.get("has_nodes") and context is not None and context.isinsert and context.compiled
    ):
        return statement, parameters
    insert = context.compiled.statement
    if insert.select is None or "organization_id" not in insert.table.columns or " ON CONFLICT " in statement:
        return statement, parameters
    key = {"organization_id": None} | dict.fromkeys(column.name for column in insert.table.primary_key)
    head, returning, rest = statement.partition(" RETURNING ")
    return f"{head} ON CONFLICT ({', '.join(key)}) DO NOTHING{returning}{rest}", parameters


def _count(connection: sa.Connection, cursor: Any, *_: object) -> None:
    # A snapshot has no cursor, and changes nothing.
    if cursor is not None and cursor.rowcount > 0 and (cursor.statusmessage or "").startswith(WRITES):
        connection.info["changed_rows"] = connection.info.get("changed_rows", 0) + cursor.rowcount


def refresh_statistics(connection: sa.Connection) -> None:
    """Take the statistics of the tables that a bulk write changed, in its transaction: both count at the same moment.

    It is done at each commit, and by whoever reads in the same transaction what it wrote. It waits for no lock, and
    where it fails the write goes on without it. SQLite's planner needs none.
    """
    if connection.dialect.name != "postgresql" or connection.info.get("changed_rows", 0) < BULK_ROWS:
        return
    with suppress(sa.exc.DBAPIError), connection.begin_nested():
        bulk = {"least": BULK_ROWS, "share": OLD_SHARE}
        if connection.info["is_bound"]:
            connection.execute(REFRESH, bulk)
        elif old := connection.scalars(OLD_STATISTICS, bulk).all():
            connection.exec_driver_sql(f"SET LOCAL default_statistics_target = {QUICK_TARGET}")
            connection.exec_driver_sql(f"ANALYZE (SKIP_LOCKED) {', '.join(old)}")


def _hide_row(context: sa.engine.ExceptionContext) -> None:
    error, wrapped = context.original_exception, context.sqlalchemy_exception
    whole = str(error)
    hide_row(error)
    if wrapped is not None:
        wrapped.args = tuple(str(each).replace(whole, str(error)) for each in wrapped.args)


def hide_row(error: BaseException) -> None:
    """Keep of PostgreSQL's error its first sentence: the next lines quote the row, which no log may contain."""
    sentence = getattr(getattr(error, "diag", None), "message_primary", None)
    if sentence is not None:
        error.args = (sentence,)
