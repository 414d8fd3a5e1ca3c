"""What PostgreSQL needs: errors without rows, limits of time, and statistics at the end of bulk writes.

Its planner knows how large a table is from ANALYZE alone. After an import the server would read the new lines by plans
for the few that were there before, until autovacuum comes by: for a minute or more, and a hundred times as slowly.
"""

from __future__ import annotations

from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa
from sqlalchemy import event

from webapp.database import measures, pooling, roles, tenancy
from webapp.database.command_limits import is_unlimited

if TYPE_CHECKING:
    from collections.abc import Iterator

# By keys from a few rows to the next, in the order in which they are joined; else whole tables would be read first.
_OF_JOINS: Final = {
    "enable_hashjoin": "off",
    "join_collapse_limit": "1",
    "random_page_cost": "1",
}
BY_KEYS: Final = "; ".join(f"SET LOCAL {name} = {value}" for name, value in _OF_JOINS.items())
AS_EVER: Final = "; ".join(f"SET LOCAL {name} TO DEFAULT" for name in _OF_JOINS)
NO_LIMITS: Final = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0"
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
# The same for the application's role, to which the tables do not belong (migrations/sql/postgresql/0230_owner.sql).
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
def joined_by_keys(connection: sa.Connection) -> Iterator[None]:
    """Let what is asked within be joined by keys, as it is written; nodes plan their parts of it for themselves.

    It is for questions that begin with a few rows, as the planner cannot know: it takes an account that should be empty
    for one that has as many postings as the others (exceptions.md).
    """
    if connection.dialect.name != "postgresql" or connection.info["has_nodes"]:
        yield
        return
    connection.exec_driver_sql(BY_KEYS)
    yield
    # After an error the transaction ends, and what was set with it.
    connection.exec_driver_sql(AS_EVER)


def analyze(connection: sa.Connection) -> None:
    """Take the statistics of every table anew, also of what this transaction wrote; SQLite keeps its own."""
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
        "can change more than these books. Make a role that owns only this database: docs/operating/configure.md, "
        "PostgreSQL."
    )


def _begin(connection: sa.Connection) -> None:
    connection.info["changed_rows"] = 0
    # It is one message: where it locks the books, it comes back when nobody else writes to them.
    locks = connection.get_execution_options().get("locks_books")
    with measures.waiting_to_write() if locks else nullcontext():
        tenancy.begin(connection, *([NO_LIMITS] if is_unlimited() else []))


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
    if cursor.rowcount > 0 and (cursor.statusmessage or "").startswith(WRITES):
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
