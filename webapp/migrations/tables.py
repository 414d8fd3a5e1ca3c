"""What tables of the books have in common: types, ids, the organization in every key, and partial indexes."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.shapes import ORGANIZATION, widened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from alembic.operations import BatchOperations

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
INSTANT = sa.DateTime(timezone=True)
EXACT = sa.Numeric().with_variant(sa.String(64), "sqlite")


def is_sqlite() -> bool:
    """Return whether the migration runs on SQLite."""
    return op.get_bind().dialect.name == "sqlite"


def make_table(name: str, *items: sa.schema.SchemaItem, **options: Any) -> None:
    """Make a table; what it numbers itself is never given out again, and PostgreSQL keeps organizations apart."""
    is_numbered = any(isinstance(each, sa.Column) and each.autoincrement is True for each in items)
    indexes = [each for each in items if isinstance(each, sa.Index)]
    others = [each for each in items if not isinstance(each, sa.Index)]
    table = op.create_table(name, *others, sqlite_autoincrement=is_numbered, **options)
    # A table keeps its indexes in no order, and of two that are alike good SQLite takes one by their order.
    sa.Table(name, table.metadata, *indexes, extend_existing=True)
    for index in indexes:
        op.execute(sa.schema.CreateIndex(index))
    if ORGANIZATION in table.columns and not is_sqlite():
        protect(name)


@contextmanager
def changed(name: str, *, is_numbered: bool = False) -> Iterator[BatchOperations]:
    """Change a table; SQLite makes it anew, which keeps its triggers and, where it numbers itself, its last id."""
    last, triggers = None, []
    if is_sqlite():
        made = "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = :table ORDER BY name"
        triggers = list(op.get_bind().scalars(sa.text(made), {"table": name}))
        noted = sa.text("SELECT seq FROM sqlite_sequence WHERE name = :table")
        last = op.get_bind().scalar(noted, {"table": name})
    with op.batch_alter_table(name, table_kwargs={"sqlite_autoincrement": is_numbered}) as table:
        yield table
    if is_numbered and is_sqlite():
        # What was copied has set it to the greatest id that is left.
        of_table = {"table": name, "last": last}
        op.get_bind().execute(sa.text("DELETE FROM sqlite_sequence WHERE name = :table"), of_table)
        if last is not None:
            given = "INSERT INTO sqlite_sequence (name, seq) VALUES (:table, :last)"
            op.get_bind().execute(sa.text(given), of_table)
    for trigger in triggers:
        op.get_bind().exec_driver_sql(trigger)


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


def primary(table: str, *columns: str) -> sa.PrimaryKeyConstraint:
    """Make the primary key of rows of an organization."""
    return sa.PrimaryKeyConstraint(*key(*columns), name=f"pk_{table}")


def unique(table: str, *columns: str) -> sa.UniqueConstraint:
    """Make another key of rows of an organization."""
    return sa.UniqueConstraint(*key(*columns), name=f"uq_{table}_{'_'.join(columns)}")


def words(table: str, column: str, *values: str) -> sa.CheckConstraint:
    """Let a column have one of these words."""
    listed = ", ".join(f"'{value}'" for value in values)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=f"ck_{table}_{column}_word")


def pair(table: str, column: str, other: str, ondelete: str = "RESTRICT") -> sa.ForeignKeyConstraint:
    """Make a foreign key to a row of the same organization, which by default cannot go while it is named."""
    return sa.ForeignKeyConstraint(
        ["organization_id", column],
        [f"{other}.organization_id", f"{other}.id"],
        name=f"fk_{table}_organization_id_{column}",
        ondelete=ondelete,
    )


def where(condition: str, on_postgresql: str | None = None) -> dict[str, Any]:
    """Give the arguments of an index of some rows only; the condition may differ between the databases."""
    return {"sqlite_where": sa.text(condition), "postgresql_where": sa.text(on_postgresql or condition)}
