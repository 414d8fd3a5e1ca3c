"""Statements in SQL, in the words of both databases."""

from __future__ import annotations

from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.snapshots.stored_values import POSTGRESQL, SQLITE, as_stored

# The ids of a parameter, for IN: SQLite has no lists.
IDS: Final = ("(SELECT value FROM json_each(:ids))", "(SELECT unnest(CAST(:ids AS bigint[])))")
# Only one, in place of them: of a list PostgreSQL expects ten rows, for which it keeps no plan of a large statement.
ID: Final = ("(:id)", "(CAST(:id AS bigint))")


class TextStatement:
    """A statement in SQL, with parameters like `:name`.

    What a database says in other words is written as a word in braces: `{ids}` is the list of a parameter `ids`, and
    `words` has others, as SQLite and as PostgreSQL say them. Rows have what the driver makes of a column: a day is text
    on SQLite, JSON too.
    """

    def __init__(self, text: str, **words: tuple[str, str]) -> None:
        first_text, second_text = text, text
        for name, (first, second) in {"ids": IDS, **words}.items():
            first_text = first_text.replace(f"{{{name}}}", first)
            second_text = second_text.replace(f"{{{name}}}", second)
        self._asked = {SQLITE: sa.text(first_text), POSTGRESQL: sa.text(second_text)}

    def rows(self, **values: Any) -> list[Any]:
        """Ask in the transaction of the session, and give all rows."""
        db.session.flush()
        return list(db.session.execute(self._asked[dialect_name()], as_stored(dialect_name(), values)))


# One of rows that keys name.
PlannedOnce = TextStatement


def dialect_name() -> str:
    """Name the database that is asked."""
    return db.engine.dialect.name
