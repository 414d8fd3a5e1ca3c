"""How Alembic reaches the books: both ways, on both engines, and never through a cascade."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context

from webapp.database.sqlite_statistics import write_statistics
from webapp.distribution.placements import prepare
from webapp.distribution.tables import is_distributed
from webapp.migrations import spread_tables  # noqa: F401  (how Alembic writes to PostgreSQL)


def run(connection: sa.Connection) -> None:
    """Run the migrations in one transaction."""
    if connection.dialect.name == "sqlite":
        # A batch rebuild drops the old table, and a cascade would take its children along; outside a transaction only.
        connection.connection.cursor().execute("PRAGMA foreign_keys=OFF")
    elif is_distributed(connection):
        prepare(connection)
    context.configure(
        connection=connection,
        transactional_ddl=True,
        on_version_apply=context.config.attributes["on_version_apply"],
    )
    with context.begin_transaction():
        context.run_migrations()
        if connection.dialect.name == "sqlite":
            if connection.exec_driver_sql("PRAGMA foreign_key_check").first():
                raise RuntimeError(
                    "The migration would leave rows that name others which are not there; nothing was changed."
                )
            write_statistics(connection)


run(context.config.attributes["connection"])
