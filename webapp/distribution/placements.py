"""Placing tables on nodes in one transaction: keys and triggers are set aside and put back when each table is there.

Rows that move are born POSTED, which triggers refuse; and a foreign key is possible only between placed tables.
Whatever ends it leaves the books as they were, to be distributed again: the nodes commit together, in two phases.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from webapp.database.postgresql import analyze
from webapp.database.roles import grant
from webapp.distribution.tables import Unplaced, rows_of, unplaced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import sqlalchemy as sa

# A trigger may ask only for rows of its own node, and ours name the organization. One connection to each node, as
# another one does not see what the first has made.
SETTINGS: Final = (
    "SET LOCAL citus.propagate_set_commands = 'local'",
    "SET LOCAL citus.enable_unsafe_triggers = on",
    "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
)
FOREIGN_KEYS: Final = """
    SELECT conrelid::regclass::text AS table, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace AND conparentid = 0
    AND (conrelid::regclass::text = ANY (ARRAY[{names}]) OR confrelid::regclass::text = ANY (ARRAY[{names}]))
    ORDER BY 1, 2"""
TRIGGERS: Final = """
    SELECT tgrelid::regclass::text AS table, tgname AS name, pg_get_triggerdef(oid) AS definition
    FROM pg_trigger WHERE NOT tgisinternal AND tgrelid::regclass::text = ANY (ARRAY[{names}]) ORDER BY 1, 2"""
# A node has to know the organization that a trigger asks for when it plans.
PLANNED_ONCE: Final = """
    SELECT oid::regprocedure::text AS name FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace
    AND position('plan_cache_mode' IN array_to_string(proconfig, ' ')) > 0
    ORDER BY 1"""
FORCED: Final = """
    SELECT oid::regclass::text AS table FROM pg_class
    WHERE relforcerowsecurity AND relnamespace = current_schema()::regnamespace
    AND oid::regclass::text = ANY (ARRAY[{names}]) ORDER BY 1"""


def distribute(connection: sa.Connection, show: Callable[[str], None]) -> list[str]:
    """Place every table that is not where it belongs, in the connection's transaction; answers their names."""
    prepare(connection)
    tables = unplaced(connection)
    if tables:
        for (name,) in rows_of(connection, PLANNED_ONCE):
            connection.exec_driver_sql(f"ALTER FUNCTION {name} RESET plan_cache_mode")
        put_back = list(_set_aside(connection, tables))
        for number, table in enumerate(tables, 1):
            show(f"distributing: {table.name.replace('_', ' ')}, table {number} of {len(tables)}")
            connection.exec_driver_sql(table.question)
        for number, (what, statement) in enumerate(put_back, 1):
            show(f"distributing: {what}, {number} of {len(put_back)}")
            connection.exec_driver_sql(statement)
        # The planner takes an empty table that was looked at for one that stays small.
        if rows_of(connection, "SELECT 1 FROM organizations LIMIT 1"):
            show("distributing: looking at the tables")
            analyze(connection)
        grant(connection)
    return [table.name for table in tables]


def prepare(connection: sa.Connection) -> None:
    """Let the rest of the transaction change tables on all nodes."""
    for setting in SETTINGS:
        connection.exec_driver_sql(setting)


def _set_aside(connection: sa.Connection, tables: Sequence[Unplaced]) -> Iterator[tuple[str, str]]:
    """Take away what a table that is placed may not have; answers what it is and how it comes back, keys last."""
    named = ", ".join(f"'{table.name}'" for table in tables)
    keys, triggers, forced = (
        rows_of(connection, each.format(names=named)) for each in (FOREIGN_KEYS, TRIGGERS, FORCED)
    )
    for key in keys:
        connection.exec_driver_sql(f'ALTER TABLE {key.table} DROP CONSTRAINT "{key.name}"')
    for trigger in triggers:
        connection.exec_driver_sql(f'DROP TRIGGER "{trigger.name}" ON {trigger.table}')
    # Where policies hold for the owner too, rows cannot be copied.
    for (table,) in forced:
        connection.exec_driver_sql(f"ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY")
        yield f"policies of {table.replace('_', ' ')}", f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY"
    for trigger in triggers:
        yield f"triggers of {trigger.table.replace('_', ' ')}", trigger.definition
    for key in keys:
        yield (
            f"foreign keys of {key.table.replace('_', ' ')}",
            f'ALTER TABLE {key.table} ADD CONSTRAINT "{key.name}" {key.definition}',
        )
