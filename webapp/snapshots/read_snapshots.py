"""The read transaction of a request, on a connection of the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from webapp.database import failures
from webapp.database.messages import Planning
from webapp.database.session_state import SessionNeededError, open_snapshot
from webapp.database.sessions import db
from webapp.snapshots.readings import PostgresqlReading, SqliteReading
from webapp.snapshots.stored_values import SQLITE, as_stored

if TYPE_CHECKING:
    from collections.abc import Hashable

    from webapp.snapshots.readings import DriverReading

__all__ = ["ReadSnapshot", "SessionNeededError", "begin", "end", "snapshot"]


class ReadSnapshot:
    """A read transaction on a connection of the pool, which sees one organization's rows on PostgreSQL."""

    def __init__(
        self,
        engine: sa.Engine,
        organization_id: str | None,
        *,
        asks_once: bool = False,
    ) -> None:
        """Begin it; where it asks once, what is asked later may see other rows."""
        self.dialect = engine.dialect
        self._dispatch = engine.dispatch
        self.connection: Any = _connected(engine)
        self._driver: Any = self.connection.dbapi_connection
        self.info: Any = self.connection.info
        self.organization_id = organization_id
        try:
            self._reading = self._begin(asks_once=asks_once)
        except BaseException:
            self.connection.close()
            raise

    def _begin(self, *, asks_once: bool) -> DriverReading:
        if self.dialect.name == SQLITE:
            return SqliteReading(self._driver)
        return PostgresqlReading(self.info, self.organization_id, asks_once=asks_once)

    def see(self, organization_id: str) -> None:
        """Let the rest of the snapshot see the rows of an organization, which its first statement has found out."""
        self.organization_id = organization_id
        self._reading.see(organization_id)

    def rows(self, text: str, values: dict[str, Any], planning: Planning = Planning.ANEW) -> list[Any]:
        """Ask a text, and give all rows."""
        asked: Any = text, as_stored(self.dialect.name, values)
        for before in self._dispatch.before_cursor_execute:
            asked = before(self, None, *asked, None, False)  # noqa: FBT003  (SQLAlchemy's own)
        try:
            said, written = asked
            found = self._reading.ask(said, written, planning)
        except self.dialect.loaded_dbapi.Error as error:
            raise self._wrapped(error) from error
        for after in self._dispatch.after_cursor_execute:
            after(self, None, *asked, None, False)  # noqa: FBT003  (the same)
        return found

    @property
    def version(self) -> Hashable | None:
        """What two snapshots of a connection share only where they see the same rows; None where nothing tells."""
        try:
            return self._reading.version()
        except self.dialect.loaded_dbapi.Error as error:
            raise self._wrapped(error) from error

    def _wrapped(self, error: Any) -> sa.exc.DBAPIError:
        wrapped = failures.of_driver(error, self, self._driver)
        if wrapped.connection_invalidated:
            self.connection.invalidate(error)
        return wrapped

    @property
    def is_bound(self) -> bool:
        """Whether the database shows the rows of its organization only."""
        return bool(self.info.get("is_bound", False))

    def close(self) -> None:
        """End the transaction, and give the connection back."""
        if self.connection.is_valid:
            self._reading.end()
        self.connection.close()


def _connected(engine: sa.Engine) -> Any:
    """Take a connection of the pool; a database that is not there is an error of SQLAlchemy's, as in a session."""
    base = engine.dialect.loaded_dbapi.Error
    try:
        return engine.raw_connection()
    except base as error:
        raise sa.exc.DBAPIError.instance(None, None, error, base, dialect=engine.dialect) from error


def begin(organization_id: str | None, *, asks_once: bool = False) -> ReadSnapshot:
    """Open the request's snapshot: in it its caller is looked up, and what is asked may be read."""
    end()
    held = ReadSnapshot(db.engine, organization_id, asks_once=asks_once)
    open_snapshot.set(held)
    return held


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
