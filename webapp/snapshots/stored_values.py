"""Days, instants, lists and JSON as the databases have them: as what they are, or as text."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from typing import Any

SQLITE, POSTGRESQL = "sqlite", "postgresql"


def as_stored(dialect: str, values: dict[str, Any]) -> dict[str, Any]:
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
