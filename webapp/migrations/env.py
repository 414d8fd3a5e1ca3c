"""How Alembic reaches the books: both ways, on both engines, and never through a cascade."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import context

import webapp.models  # noqa: F401  (fills the metadata)
from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import Base
from webapp.distribution.placements import prepare
from webapp.distribution.tables import is_distributed
from webapp.migrations import spread_tables  # noqa: F401  (how Alembic writes to PostgreSQL)
from webapp.migrations.shapes import shaped

PRINTED = {Instant: "sa.DateTime(timezone=True)", Exact: "sa.Numeric().with_variant(sa.String(64), 'sqlite')"}


def render_item(kind: str, item: Any, _context: Any) -> Any:
    """Print our own types as what they are in the database, so that a migration never changes with the code."""
    return PRINTED.get(type(item), False) if kind == "type" else False


def run(connection: sa.Connection) -> None:
    """Run the migrations in one transaction."""
    if connection.dialect.name == "sqlite":
        # A batch rebuild drops the old table, and a cascade would take its children along; outside a transaction only.
        connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
    elif is_distributed(connection):
        prepare(connection)
    context.configure(
        connection=connection,
        target_metadata=shaped(Base.metadata, connection.dialect.name),
        render_as_batch=True,
        transactional_ddl=True,
        render_item=render_item,
        compare_type=True,
        on_version_apply=context.config.attributes["on_version_apply"],
    )
    with context.begin_transaction():
        context.run_migrations()
        if (
            connection.dialect.name == "sqlite"
            and connection.exec_driver_sql("PRAGMA foreign_key_check").first()
        ):
            raise RuntimeError(
                "The migration would leave rows that name others which are not there; nothing was changed."
            )


run(context.config.attributes["connection"])
