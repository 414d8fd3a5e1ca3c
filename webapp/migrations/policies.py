"""Row-level security on PostgreSQL: a table with an organization shows the application the rows of one.

Every table with an organization has two policies: the application's rows are those of the transaction's organization,
and the role that owns the table, for whom FORCE lets policies hold too, sees all. `make_table` makes them, and
tests/security/tenancy looks for them. The condition is one plain comparison: beside a statement that names its
organization the planner compares the two once, and a distributed PostgreSQL takes no question within it.

The function of a trigger that asks tables asks as their owner, past the application's policy, and names the organization
itself: `SECURITY DEFINER SET search_path FROM CURRENT` in its file of SQL. tests/services/test_trigger_bodies.py holds
it to that.
"""

from __future__ import annotations

from alembic import op

SEEN = "{column} = current_setting('tieout.organization', true)"
PROTECT = (
    "ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY",
    "CREATE POLICY of_organization ON {table} USING (" + SEEN + ")",
    "CREATE POLICY of_maintenance ON {table} TO CURRENT_USER USING (true)",
)


def protect(table: str, column: str = "organization_id") -> None:
    """Let the application see and change the rows of one organization only, by this column."""
    for statement in PROTECT:
        op.execute(statement.format(table=table, column=column))
