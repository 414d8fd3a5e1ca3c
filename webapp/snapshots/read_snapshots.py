"""The read transaction of a request, on a connection of the pool, and on one of a replica where there is one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import sqlalchemy as sa

from webapp import failures, tenancy
from webapp.db import db, replicas
from webapp.session_state import SessionNeededError, open_snapshot
from webapp.snapshots.stored_values import POSTGRESQL, SQLITE, as_stored

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from webapp.replicas import Replica

__all__ = ["ReadSnapshot", "SessionNeededError", "begin", "end", "go_to_replica", "snapshot"]

# What a snapshot of PostgreSQL is called, and by which server: another that counts its transactions alike, as a replica
# that has taken over, was started at another time. On a replica a snapshot does not name what is running.
NAME: Final = (
    "SELECT CASE WHEN NOT pg_is_in_recovery()"
    " THEN pg_current_snapshot()::text || pg_postmaster_start_time()::text END"
)


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
        asked = self._run(text, as_stored(self._name, values), keeps_plan=keeps_plan)
        found: list[Any] = asked.fetchall()
        return found

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
            wrapped = failures.of_driver(error, self, self._driver)
            if wrapped.connection_invalidated:
                self.connection.invalidate(error)
            raise wrapped from error
        for after in self._dispatch.after_cursor_execute:
            after(self, cursor, text, values, None, False)  # noqa: FBT003  (the same)
        return cursor

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
