"""Rows that are inserted past SQLAlchemy: the statement is written once, as to make it takes longer than to insert."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import sqlalchemy as sa

# Each column with what makes of a value what the driver takes.
Columns = list[tuple[str, Callable[[Any], Any] | None]]
Written = tuple[str, Columns]


class NewRows:
    """An INSERT of rows of a table: of some of its columns, or of all.

    What a row does not say is left to the database: no default of the model is put in.
    """

    def __init__(self, table: sa.Table, *columns: str, behind: str = "") -> None:
        """Name the columns; `behind` is what the statement says behind the values."""
        self._columns = [table.c[name] for name in columns] or list(table.c)
        self._table, self._behind = table, behind
        self._written: dict[str, Written] = {}

    def insert(self, connection: sa.Connection, rows: Iterable[Mapping[str, Any]]) -> None:
        """Insert rows; each has all of the columns, and what else it has is not stored."""
        text, columns = self._in_dialect(connection.dialect)
        stored = [_stored(columns, row) for row in rows]
        if stored:
            connection.exec_driver_sql(text, stored)

    def insert_one(self, connection: sa.Connection, row: Mapping[str, Any]) -> sa.CursorResult[Any]:
        """Insert a row, and give what the database answers."""
        text, columns = self._in_dialect(connection.dialect)
        return connection.exec_driver_sql(text, _stored(columns, row))

    def _in_dialect(self, dialect: sa.Dialect) -> Written:
        found = self._written.get(dialect.name)
        if found is None:
            found = self._written[dialect.name] = self._write(dialect)
        return found

    def _write(self, dialect: sa.Dialect) -> Written:
        quoted = dialect.identifier_preparer.quote
        place = ":{}" if dialect.name == "sqlite" else "%({})s"
        names = ", ".join(quoted(column.name) for column in self._columns)
        values = ", ".join(place.format(column.name) for column in self._columns)
        text = f"INSERT INTO {quoted(self._table.name)} ({names}) VALUES ({values}){self._behind}"  # noqa: S608  (ours)
        into: Columns = [
            (column.name, column.type.dialect_impl(dialect).bind_processor(dialect))
            for column in self._columns
        ]
        return text, into


def _stored(columns: Columns, row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] if into is None else into(row[name]) for name, into in columns}
