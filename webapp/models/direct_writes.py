"""Writes that are sent past SQLAlchemy: the statement is text, as to make it each time takes longer than to do it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.column_types import Instant
from webapp.database.sessions import db, run_planned

_PARAMETER: Final = re.compile(r"(?<!:):([a-z_][a-z_0-9]*)")
# Each column with what makes of a value what the driver takes.
Columns = list[tuple[str, Callable[[Any], Any] | None]]
Written = tuple[str, Columns]


class NewRows:
    """An INSERT of rows of a table: of some of its columns, or of all.

    What a row does not say is left to the database: no default of the model is put in.
    """

    def __init__(self, table: sa.Table, *columns: str) -> None:
        """Name the columns."""
        self._columns = [table.c[name] for name in columns] or list(table.c)
        self._table = table
        self._written: dict[str, Written] = {}

    def insert(self, connection: sa.Connection, rows: Iterable[Mapping[str, Any]], **shared: Any) -> None:
        """Insert rows; each has all of the columns but those that are `shared`, and what else it has is not stored."""
        text, columns = self._in_dialect(connection.dialect)
        of_all = _stored([each for each in columns if each[0] in shared], shared)
        own = [each for each in columns if each[0] not in shared]
        stored = [of_all | _stored(own, row) for row in rows]
        run_planned(connection, text, stored)

    def insert_one(self, connection: sa.Connection, row: Mapping[str, Any]) -> int:
        """Insert a row, and give the id that it gets."""
        text, columns = self._in_dialect(connection.dialect)
        ((row_id,),) = run_planned(connection, f"{text} RETURNING id", [_stored(columns, row)])
        return int(row_id)

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
        text = f"INSERT INTO {quoted(self._table.name)} ({names}) VALUES ({values})"  # noqa: S608  (ours)
        into: Columns = [
            (column.name, column.type.dialect_impl(dialect).bind_processor(dialect))
            for column in self._columns
        ]
        return text, into


def _stored(columns: Columns, row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: row[name] if into is None else into(row[name]) for name, into in columns}


class DirectChange:
    """A change of rows in SQL, with parameters like `:name`, that says what it RETURNs."""

    def __init__(self, text: str) -> None:
        self._texts = {"sqlite": text, "postgresql": _PARAMETER.sub(r"%(\1)s", text)}

    def make(self, **values: Any) -> Sequence[Any]:
        """Make the change in the transaction of the session, and give the rows that it returns."""
        session = db.session()
        session.flush()
        connection = session.connection()
        dialect = connection.dialect
        if dialect.name == "sqlite":
            values = {name: _plain(value, dialect) for name, value in values.items()}
        return run_planned(connection, self._texts[dialect.name], [values])


def _plain(value: Any, dialect: sa.Dialect) -> Any:
    """Give a value as SQLite has it, which knows neither days nor instants."""
    if isinstance(value, datetime):
        stored = Instant().process_bind_param(value, dialect)
        return None if stored is None else stored.isoformat(" ", "microseconds")
    return value.isoformat() if isinstance(value, date) else value
