"""Row-level security on PostgreSQL: a table with an organization shows the application the rows of one.

Every table with an organization has two policies: the application's rows are those of the transaction's organization,
and the role that owns the table, for whom FORCE lets policies hold too, sees all. A migration that makes such a table
calls `protect`; tests/security/tenancy holds it to that. The condition is one plain comparison: beside a statement that
names its organization the planner compares the two once, and a distributed PostgreSQL takes no question within it.

The function of a trigger that asks tables asks as their owner, past the application's policy, and names the organization
itself; a migration that writes one calls `ask_as_owner`, and tests/services/test_trigger_bodies.py holds it to that.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

SEEN = "{column} = current_setting('tieout.organization', true)"
PROTECT = (
    "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    "CREATE POLICY of_organization ON {table} USING (" + SEEN + ")",
    "CREATE POLICY of_maintenance ON {table} TO CURRENT_USER USING (true)",
)
UNPROTECT = (
    "DROP POLICY of_organization ON {table}",
    "DROP POLICY of_maintenance ON {table}",
    "ALTER TABLE {table} NO FORCE ROW LEVEL SECURITY, DISABLE ROW LEVEL SECURITY",
)

AS_OWNER = (
    "ALTER FUNCTION {name}() SECURITY DEFINER SET search_path = {schema}, pg_temp",
    # Whoever may call it could hang it on a temporary table of his own, and write rows of any organization.
    "REVOKE ALL ON FUNCTION {name}() FROM PUBLIC",
)
AS_ASKER = (
    "ALTER FUNCTION {name}() SECURITY INVOKER RESET search_path",
    "GRANT EXECUTE ON FUNCTION {name}() TO PUBLIC",
)


def protect(table: str, column: str = "organization_id") -> None:
    """Let the application see and change the rows of one organization only, by this column."""
    _run(PROTECT, table, column)


def unprotect(table: str) -> None:
    """Take that back."""
    _run(UNPROTECT, table, "")


def ask_as_owner(name: str) -> None:
    """Let the function of a trigger ask as the owner of the tables, whoever changes a row."""
    schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
    for statement in AS_OWNER:
        op.execute(statement.format(name=name, schema=schema))


def ask_as_asker(name: str) -> None:
    """Take that back."""
    for statement in AS_ASKER:
        op.execute(statement.format(name=name))


def _run(statements: tuple[str, ...], table: str, column: str) -> None:
    for statement in statements:
        op.execute(statement.format(table=table, column=column))
