"""What a new table has whose rows belong to an organization and have a number: the columns and their keys."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def numbered(table: str) -> list[sa.schema.SchemaItem]:
    """Give the columns and keys: on PostgreSQL the primary key is the one that other tables name."""
    name, both = op.f(f"pk_{table}"), ("organization_id", "id")
    own = sa.UniqueConstraint(*both, name=op.f(f"uq_{table}_organization_id_id"))
    keys = [sa.PrimaryKeyConstraint("id", name=name), own]
    return [
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f(f"fk_{table}_organization_id")
        ),
        *(keys if is_sqlite() else [sa.PrimaryKeyConstraint(*both, name=name)]),
    ]


def is_sqlite() -> bool:
    """Return whether the migration runs on SQLite."""
    return op.get_bind().dialect.name == "sqlite"
