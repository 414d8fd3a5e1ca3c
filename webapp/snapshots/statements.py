"""Statements in SQL, in the words of both databases, asked in a request's snapshot or in its session."""

from __future__ import annotations

import re
from typing import Any, Final

from webapp.database import postgresql
from webapp.database.messages import Planning
from webapp.database.sessions import db, run_text
from webapp.snapshots.read_snapshots import ReadSnapshot, snapshot
from webapp.snapshots.stored_values import POSTGRESQL, SQLITE, as_stored

# The ids of a parameter, for IN: SQLite has no lists.
IDS: Final = ("(SELECT value FROM json_each(:ids))", "(SELECT unnest(CAST(:ids AS bigint[])))")
# Only one, in place of them: of a list PostgreSQL expects ten rows, for which it keeps no plan of a large statement.
ID: Final = ("(:id)", "(CAST(:id AS bigint))")
_PARAMETER: Final = re.compile(r"(?<!:):([a-z_][a-z_0-9]*)")


class TextStatement:
    """A statement in SQL, with parameters like `:name`.

    What a database says in other words is written as a word in braces: `{ids}` is the list of a parameter `ids`, and
    `words` has others, as SQLite and as PostgreSQL say them. Rows have what the driver makes of a column: a day is text
    on SQLite, JSON too.
    """

    planning = Planning.ANEW

    def __init__(self, text: str, **words: tuple[str, str]) -> None:
        first_text, second_text = text, text
        for name, (first, second) in {"ids": IDS, **words}.items():
            first_text = first_text.replace(f"{{{name}}}", first)
            second_text = second_text.replace(f"{{{name}}}", second)
        self._texts = {
            SQLITE: first_text,
            POSTGRESQL: _PARAMETER.sub(r"%(\1)s", second_text.replace("%", "%%")),
        }

    def in_dialect(self, name: str) -> str:
        """Give the text as a driver takes it.

        >>> TextStatement("SELECT CAST(:day AS date)::text").in_dialect("postgresql")
        'SELECT CAST(%(day)s AS date)::text'
        """
        return self._texts[name]

    def rows(self, **values: Any) -> list[Any]:
        """Ask in the request's snapshot, or else in the transaction of its session."""
        return ask(self._texts[dialect_name()], values, self.planning)

    def rows_in(self, held: ReadSnapshot, **values: Any) -> list[Any]:
        """Ask in this snapshot."""
        return held.rows(self._texts[held.dialect.name], values, self.planning)


class PlannedOnce(TextStatement):
    """One whose plan PostgreSQL keeps: of rows that keys name, for which no other plan could be better."""

    planning = Planning.ONCE


def dialect_name() -> str:
    """Name the database that is asked."""
    held = snapshot()
    return db.engine.dialect.name if held is None else held.dialect.name


def ask(text: str, values: dict[str, Any], planning: Planning = Planning.ANEW) -> list[Any]:
    """Ask a text in the request's snapshot, or else in the transaction of its session, and give all rows."""
    held = snapshot()
    if held is not None:
        return held.rows(text, values, planning)
    session = db.session()
    session.flush()
    connection = session.connection()
    name = connection.dialect.name
    if planning is not Planning.ANEW and name == POSTGRESQL:
        return postgresql.ask(connection, text, values, planning)
    return list(run_text(connection, text, as_stored(name, values)))
