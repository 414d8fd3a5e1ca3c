"""Where each table of the books is: with its organization on one node, on every node, or on the coordinator alone."""

from typing import Any, Final, NamedTuple

import sqlalchemy as sa

# What rows of any organization name, and what names it.
EVERYWHERE: Final = frozenset(
    {
        "users",
        "authenticators",
        "familiar_browsers",
        "identities",
        "passkeys",
        "passkey_challenges",
        "recovery_codes",
        "secrets",
        "sign_in_steps",
    }
)
HAS_CITUS: Final = sa.text("SELECT to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL")
IS_SPREAD: Final = sa.text(
    "SELECT EXISTS (SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('organizations'))"
)
TABLES: Final = sa.text("""
    SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute a
        WHERE a.attrelid = c.oid AND a.attname = 'organization_id' AND NOT a.attisdropped) AS has_organization
    FROM pg_class c LEFT JOIN pg_dist_partition p ON p.logicalrelid = c.oid
    WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND p.logicalrelid IS NULL
    ORDER BY c.relname <> 'organizations', 2, c.relname""")


class Unplaced(NamedTuple):
    """A table that is on the coordinator alone, and the question that puts it where it belongs."""

    name: str
    question: str


def is_distributed(connection: sa.Connection) -> bool:
    """Return whether the books of a connection are spread over nodes."""
    if connection.dialect.name != "postgresql" or not connection.scalar(HAS_CITUS):
        return False
    return bool(connection.scalar(IS_SPREAD))


def unplaced(connection: sa.Connection) -> list[Unplaced]:
    """List the tables that are not yet where they belong: the organizations first, with which the others go."""
    found = connection.execute(TABLES).all()
    return [
        Unplaced(name, question)
        for name, has_organization in found
        if (question := placing(name, has_organization=has_organization)) is not None
    ]


def placing(name: str, *, has_organization: bool) -> str | None:
    """Write the question that places a table; none for one that stays on the coordinator.

    >>> placing("postings", has_organization=True)
    "SELECT create_distributed_table('postings', 'organization_id', colocate_with => 'organizations')"
    >>> placing("users", has_organization=False)
    "SELECT create_reference_table('users')"
    >>> placing("alembic_version", has_organization=False)
    """
    if name == "organizations":
        return "SELECT create_distributed_table('organizations', 'id', colocate_with => 'none')"
    if has_organization:
        return (
            f"SELECT create_distributed_table('{name}', 'organization_id', colocate_with => 'organizations')"
        )
    return f"SELECT create_reference_table('{name}')" if name in EVERYWHERE else None


def rows_of(connection: sa.Connection, statement: str) -> list[Any]:
    """Ask a question in which nothing is a parameter."""
    return list(connection.exec_driver_sql(statement).all())
