"""Migrations of books that are spread over nodes (Citus): a new table is placed before its foreign keys are made."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic.ddl.postgresql import PostgresqlImpl

from webapp.distribution.tables import is_distributed, placing


class SpreadImpl(PostgresqlImpl):
    """Alembic's way to write to PostgreSQL, which it takes for the dialect's name; on one node it is as ever."""

    __dialect__ = "postgresql"

    def create_table(self, table: sa.Table, **named: Any) -> None:
        """Make a table where its rows belong: a table of one node may not name those of many."""
        connection = self.connection
        place = None
        if connection is not None and is_distributed(connection):
            place = placing(table.name, has_organization="organization_id" in table.columns)
        if place is None:
            super().create_table(table, **named)
            return
        keys = sorted(table.foreign_key_constraints, key=lambda key: str(key.name))
        self._exec(sa.schema.CreateTable(table, include_foreign_key_constraints=[]))
        self._exec(sa.text(place))
        for key in keys:
            self._exec(sa.schema.AddConstraint(key))
        for index in table.indexes:
            self._exec(sa.schema.CreateIndex(index))
