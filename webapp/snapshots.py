"""Snapshots: a request's read transaction on a bare connection, and statements in SQL that are asked on it.

SQLAlchemy takes some 65 microseconds to hand a statement that is text already to a driver, and as much again to open a
connection and a session; SQLite answers in 7. What is asked a thousand times in a second is written as SQL once, and
asked of the driver. Where a session's transaction is open, the same statement is asked in that one.
"""

from __future__ import annotations

import json
import re
from contextlib import suppress
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from webapp import tenancy
from webapp.db import db, replicas
from webapp.session_state import SessionNeededError, open_snapshot

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from webapp.replicas import Replica

__all__ = [
    "ID",
    "PlannedOnce",
    "ReadSnapshot",
    "SessionNeededError",
    "TextStatement",
    "ask",
    "begin",
    "dialect_name",
    "end",
    "go_to_replica",
    "snapshot",
]

SQLITE, POSTGRESQL = "sqlite", "postgresql"
# What a snapshot of PostgreSQL is called, and by which server: another that counts its transactions alike, as a replica
# that has taken over, was started at another time. On a replica a snapshot does not name what is running.
NAME: Final = (
    "SELECT CASE WHEN NOT pg_is_in_recovery()"
    " THEN pg_current_snapshot()::text || pg_postmaster_start_time()::text END"
)
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

    keeps_plan = False

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
        return ask(self._texts[dialect_name()], values, keeps_plan=self.keeps_plan)


class PlannedOnce(TextStatement):
    """One whose plan PostgreSQL keeps: of rows that keys name, for which no other plan could be better."""

    keeps_plan = True


def dialect_name() -> str:
    """Name the database that is asked."""
    held = snapshot()
    return db.engine.dialect.name if held is None else held.dialect.name


def ask(text: str, values: dict[str, Any], *, keeps_plan: bool = False) -> list[Any]:
    """Ask a text in the request's snapshot, or else in the transaction of its session, and give all rows."""
    held = snapshot()
    if held is not None:
        return held.rows(text, values, keeps_plan=keeps_plan)
    db.session.flush()
    connection = db.session.connection()
    stored = _stored(connection.dialect.name, values)
    return list(connection.exec_driver_sql(text, stored).fetchall())


def _stored(dialect: str, values: dict[str, Any]) -> dict[str, Any]:
    """Give values as the columns of a database have them: SQLite has days, instants and lists as text."""
    if dialect == SQLITE:
        for name, value in values.items():
            if isinstance(value, datetime):
                values[name] = value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
            elif isinstance(value, date):
                values[name] = value.isoformat()
            elif isinstance(value, list):
                values[name] = json.dumps(value)
    return values


def instant(stored: Any) -> datetime | None:
    """Read an instant of a row."""
    if isinstance(stored, str):
        return datetime.fromisoformat(stored).replace(tzinfo=UTC)
    return None if stored is None else stored.astimezone(UTC)


def day(stored: Any) -> date | None:
    """Read a day of a row."""
    return date.fromisoformat(stored) if isinstance(stored, str) else stored


def document(stored: Any) -> Any:
    """Read a JSON object or list of a row."""
    return json.loads(stored) if isinstance(stored, str) else stored


class ReadSnapshot:
    """A read transaction on a connection of the pool, which sees one organization's rows on PostgreSQL."""

    def __init__(
        self,
        engine: sa.Engine,
        organization_id: str | None,
        ready: Callable[[Any], None] = lambda _driver: None,
    ) -> None:
        """Begin it, on a connection that is `ready`."""
        self.dialect = engine.dialect
        self._dispatch = engine.dispatch
        self._name = engine.dialect.name
        self.connection: Any = _connected(engine)
        self._driver: Any = self.connection.dbapi_connection
        self.info: Any = self.connection.info
        self.organization_id = organization_id
        self._version: Hashable | None = None
        try:
            ready(self._driver)
            self._begin()
        except BaseException:
            self.close()
            raise

    def _begin(self) -> None:
        if self._name == SQLITE:
            self._run("BEGIN", {})
        else:
            options = {"read_only": True, "organization_id": self.organization_id}
            *before, last = tenancy.beginning(self.info, options)
            for message in before:
                self._run(message, {})
            self._run(last, {}) if self.info["has_nodes"] else self._begin_named(last)

    def _begin_named(self, message: str) -> None:
        """Begin on PostgreSQL, and ask in the same message what the snapshot is called."""
        cursor = self._run(f"{message}; {NAME}", {})
        while cursor.nextset():
            pass
        self._version = cursor.fetchone()[0]

    def see(self, organization_id: str) -> None:
        """Let the rest of the snapshot see the rows of an organization, which its first statement has found out."""
        self.organization_id = organization_id
        if self._name != SQLITE and self.info["sees"] not in {tenancy.EVERYBODY, organization_id}:
            self._run(tenancy.of_organization(organization_id), {})
            self.info["sees"] = organization_id

    def rows(self, text: str, values: dict[str, Any], *, keeps_plan: bool = False) -> list[Any]:
        """Ask a text, and give all rows."""
        asked = self._run(text, _stored(self._name, values), keeps_plan=keeps_plan)
        found: list[Any] = asked.fetchall()
        return found

    def asked(self, statement: TextStatement, **values: Any) -> list[Any]:
        """Ask a statement, and give all rows."""
        return self.rows(statement.in_dialect(self._name), values, keeps_plan=statement.keeps_plan)

    @property
    def version(self) -> Hashable | None:
        """What two snapshots of a connection share only where they see the same rows; None where nothing tells.

        Of SQLite it is what any other connection's commit changes, with how many rows this one itself has ever changed.
        Of PostgreSQL it is the transactions that the snapshot names; where the books are on several nodes it names what
        one of them has seen.
        """
        if self._name == SQLITE and self._version is None:
            changes = self._driver.execute("PRAGMA data_version").fetchone()[0]
            self._version = changes, self._driver.total_changes
        return self._version

    @property
    def is_bound(self) -> bool:
        """Whether the database shows the rows of its organization only."""
        return bool(self.info.get("is_bound", False))

    def _run(self, text: str, values: Mapping[str, Any], *, keeps_plan: bool = False) -> Any:
        named = {"prepare": True} if keeps_plan and self._name == POSTGRESQL else {}
        cursor = self._driver.cursor()
        try:
            for before in self._dispatch.before_cursor_execute:
                text, values = before(self, cursor, text, values, None, False)  # noqa: FBT003  (SQLAlchemy's own)
            # With an empty mapping psycopg would prepare the text, which may be several statements.
            cursor.execute(text, values, **named) if values else cursor.execute(text)
        except self.dialect.loaded_dbapi.Error as error:
            raise self._wrapped(error) from error
        for after in self._dispatch.after_cursor_execute:
            after(self, cursor, text, values, None, False)  # noqa: FBT003  (the same)
        return cursor

    def _wrapped(self, error: Any) -> Any:
        """Give the driver's error as SQLAlchemy gives it, for the handlers of errors; a lost connection is dropped."""
        is_lost = self.dialect.is_disconnect(error, self._driver, None)
        base = self.dialect.loaded_dbapi.Error
        wrapped: Any = sa.exc.DBAPIError.instance(
            None, None, error, base, connection_invalidated=is_lost, dialect=self.dialect
        )
        facts = SimpleNamespace(connection=self, original_exception=error, sqlalchemy_exception=wrapped)
        for handle in self.dialect.dispatch.handle_error:
            handle(facts)
        if is_lost:
            self.connection.invalidate(error)
        return wrapped

    def close(self) -> None:
        """End the transaction, and give the connection back.

        A rollback would make psycopg forget the statements that it has prepared, and PostgreSQL plan them anew. END is
        COMMIT: https://www.postgresql.org/docs/current/sql-end.html
        """
        if self._name != SQLITE and self.connection.is_valid:
            # What was read is read; where the connection was lost since, the pool finds out.
            with suppress(self.dialect.loaded_dbapi.Error):
                self._driver.execute("END")
        self.connection.close()


def _connected(engine: sa.Engine) -> Any:
    """Take a connection of the pool; a database that is not there is an error of SQLAlchemy's, as in a session."""
    base = engine.dialect.loaded_dbapi.Error
    try:
        return engine.raw_connection()
    except base as error:
        raise sa.exc.DBAPIError.instance(None, None, error, base, dialect=engine.dialect) from error


def begin(organization_id: str | None) -> ReadSnapshot:
    """Open the request's snapshot: in it its caller is looked up, and what is asked may be read."""
    end()
    held = ReadSnapshot(db.engine, organization_id)
    open_snapshot.set(held)
    return held


def go_to_replica(organization_id: str) -> None:
    """Let the rest of the request read in a snapshot of a replica, where there is one that is far enough."""
    found = replicas()
    if found is None:
        return

    def ask(replica: Replica, needed: int) -> None:
        held = ReadSnapshot(replica.engine, organization_id, lambda driver: replica.catch_up(driver, needed))
        end()
        open_snapshot.set(held)

    found.asking(organization_id, ask)


def snapshot() -> ReadSnapshot | None:
    """Give the request's snapshot, while it is open."""
    held: ReadSnapshot | None = open_snapshot.get()
    return held


def end(_error: BaseException | None = None) -> None:
    """Close the request's snapshot, where it is open."""
    held = open_snapshot.get()
    if held is not None:
        open_snapshot.set(None)
        held.close()
