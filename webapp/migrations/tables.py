"""What tables of the books have in common: types, ids, the organization in every key, and partial indexes."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from webapp.migrations.shapes import widened

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)
EXACT = sa.Numeric().with_variant(sa.String(64), "sqlite")


def is_sqlite() -> bool:
    """Return whether the migration runs on SQLite."""
    return op.get_bind().dialect.name == "sqlite"


def key(*columns: str) -> list[str]:
    """Give the columns of a key: on PostgreSQL each carries the organization."""
    return list(columns) if is_sqlite() else widened(list(columns))


def owned(table: str) -> list[sa.schema.SchemaItem]:
    """Give the column of a row's organization, and its foreign key."""
    return [
        sa.Column("organization_id", sa.String(40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=f"fk_{table}_organization_id"
        ),
    ]


def identified(table: str) -> list[sa.schema.SchemaItem]:
    """Give the keys of rows with an id: on PostgreSQL the primary key is the one that other tables name."""
    name, both = f"pk_{table}", ("organization_id", "id")
    if not is_sqlite():
        return [sa.PrimaryKeyConstraint(*both, name=name)]
    own = sa.UniqueConstraint(*both, name=f"uq_{table}_organization_id_id")
    return [sa.PrimaryKeyConstraint("id", name=name), own]


def numbered(table: str) -> list[sa.schema.SchemaItem]:
    """Give what rows with a number have: the id, the organization and the keys."""
    number = sa.Column("id", BIG, autoincrement=True, nullable=False)
    return [number, *owned(table), *identified(table)]


def pair(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    """Make a foreign key to a row of the same organization, which cannot go while it is named."""
    return sa.ForeignKeyConstraint(
        ["organization_id", column],
        [f"{other}.organization_id", f"{other}.id"],
        name=op.f(f"fk_{table}_organization_id_{column}"),
        ondelete="RESTRICT",
    )


def where(condition: str, on_postgresql: str | None = None) -> dict[str, Any]:
    """Give the arguments of an index of some rows only; the condition may differ between the databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(on_postgresql or condition)}
