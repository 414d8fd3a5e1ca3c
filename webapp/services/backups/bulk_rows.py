"""Many rows of a table at once, as the driver takes them: by `executemany` on SQLite, by COPY on PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.postgresql import hide_row


def insert(connection: sa.Connection, table: sa.Table, rows: Iterable[Sequence[object]]) -> None:
    """Insert rows, each with all columns of the table in their order; the constraints of the table hold.

    Raises what SQLAlchemy raises where the database refuses one.
    """
    names = ", ".join(f'"{column.name}"' for column in table.columns)
    if connection.dialect.name == "postgresql":
        _copy(connection, f'COPY "{table.name}" ({names}) FROM STDIN', rows)
        return
    places = ", ".join("?" * len(table.columns))
    statement = f'INSERT INTO "{table.name}" ({names}) VALUES ({places})'  # noqa: S608  (names of ours)
    connection.exec_driver_sql(statement, [tuple(row) for row in rows])


def _copy(connection: sa.Connection, statement: str, rows: Iterable[Sequence[object]]) -> None:
    cursor: Any = connection.connection.cursor()
    error_class = connection.dialect.loaded_dbapi.Error
    try:
        with cursor.copy(statement) as copy:
            for row in rows:
                copy.write_row(row)
    except error_class as error:
        hide_row(error)
        raise sa.exc.DBAPIError.instance(
            statement, None, error, error_class, hide_parameters=True, dialect=connection.dialect
        ) from error
