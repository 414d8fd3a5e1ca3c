"""How a snapshot is begun, asked and ended: on SQLite, and on PostgreSQL in hardly more messages than questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from webapp.database import tenancy
from webapp.database.messages import Planning

if TYPE_CHECKING:
    from collections.abc import Hashable

    from webapp.database.messages import Messages

# What a snapshot of PostgreSQL is called, and by which server: another that counts its transactions alike, as a replica
# that has taken over, was started at another time. On a replica a snapshot does not name what is running.
NAME: Final = (
    "SELECT CASE WHEN NOT pg_is_in_recovery()"
    " THEN pg_current_snapshot()::text || pg_postmaster_start_time()::text END"
)


class DriverReading(Protocol):
    """A read transaction on a connection of a driver."""

    def ask(self, text: str, values: dict[str, Any], planning: Planning) -> list[Any]:
        """Ask a text, and give all rows."""

    def see(self, organization_id: str) -> None:
        """See the rows of an organization from now on."""

    def version(self) -> Hashable | None:
        """Tell what two readings on a connection share only where they see the same rows."""

    def end(self) -> None:
        """End it, where the pool does not."""


class SqliteReading:
    """One of SQLite."""

    def __init__(self, driver: Any) -> None:
        """Begin it."""
        self._driver = driver
        self._version: Hashable | None = None
        driver.execute("BEGIN")

    def ask(self, text: str, values: dict[str, Any], planning: Planning) -> list[Any]:  # noqa: ARG002  (as a DriverReading)
        """Ask a text, and give all rows."""
        found: list[Any] = self._driver.execute(text, values).fetchall()
        return found

    def see(self, organization_id: str) -> None:
        """See what it saw: here every statement names its organization."""

    def version(self) -> Hashable | None:
        """Give what any other connection's commit changes, with how many rows this one itself has ever changed."""
        if self._version is None:
            changes = self._driver.execute("PRAGMA data_version").fetchone()[0]
            self._version = changes, self._driver.total_changes
        return self._version

    def end(self) -> None:
        """Leave it to the pool, which rolls back."""


class PostgresqlReading:
    """One of PostgreSQL, which begins with its first question, in the same message.

    Where it asks once, that message is all of it; where there are nodes, what begins it is sent alone.
    """

    def __init__(self, info: dict[str, Any], organization_id: str | None, *, asks_once: bool) -> None:
        """Say nothing yet, and note in the info of the connection what it will see."""
        self._info = info
        self._messages: Messages = info["messages"]
        self._has_nodes: bool = info["has_nodes"]
        self._is_held = self._has_nodes or not asks_once
        self._is_open = False
        self._version: Hashable | None = None
        self._has_name = not self._has_nodes
        options = {"read_only": True, "organization_id": organization_id, "asks_once": asks_once}
        self._before = tenancy.beginning(info, options)

    def ask(self, text: str, values: dict[str, Any], planning: Planning) -> list[Any]:
        """Ask a text, and give all rows."""
        is_named = self._is_held and self._has_name and not self._is_open
        name = self._name() if is_named else []
        asked = self._messages.written(text, values, tenancy.planned_on(self._info, planning))
        said, self._before = [*self._before, *name, *asked], [] if self._is_held else self._before
        self._is_open = self._is_held
        if self._has_nodes:
            return [self._messages.ask([each]) for each in said][-1][-1]
        found = self._messages.ask(said)
        if is_named:
            ((self._version,),) = found[-2]
        return found[-1]

    def _name(self) -> list[str]:
        return self._messages.planned(NAME, {})

    def see(self, organization_id: str) -> None:
        """See the rows of an organization from the next question on."""
        if self._info["sees"] not in {tenancy.EVERYBODY, organization_id}:
            self._before.append(tenancy.of_organization(organization_id))
            self._info["sees"] = organization_id

    def version(self) -> Hashable | None:
        """Give the transactions that the snapshot names, or would name if it began now.

        Where there are nodes it names what one of them has seen.
        """
        if self._version is None and self._has_name and not self._is_open:
            ((self._version,),) = self._messages.ask(self._name())[-1]
        return self._version

    def end(self) -> None:
        """End it, and go on without waiting for the answer."""
        if self._is_open:
            self._messages.end()
