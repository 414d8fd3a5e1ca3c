"""Rows of every table as JSON and back, the same from SQLite and PostgreSQL."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from webapp.db import Base, Exact, Instant

# What ends with the installation that it was made on: nobody is signed in to a restored one.
LEFT_OUT = frozenset({"sessions", "sign_in_counters", "familiar_browsers"})


def tables() -> Sequence[sa.Table]:
    """List the tables of a backup, each behind those that its rows refer to."""
    return [table for table in Base.metadata.sorted_tables if table.name not in LEFT_OUT]


def as_json(row: sa.Row[Any]) -> list[object]:
    """Give a row as a list of JSON values."""
    return [_plain(value) for value in row]


def _plain(value: object) -> object:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return b64encode(value).decode()
    return format(value, "f") if isinstance(value, Decimal) else value


def reader(table: sa.Table) -> Callable[[list[Any]], dict[str, object]]:
    """Give a function that reads a list of JSON values as a row of a table."""
    columns = [(column.name, _reading(column.type)) for column in table.columns]

    def read(values: list[Any]) -> dict[str, object]:
        return {
            name: None if value is None else take(value)
            for (name, take), value in zip(columns, values, strict=True)
        }

    return read


def _reading(type_: sa.types.TypeEngine[Any]) -> Callable[[Any], object]:
    if isinstance(type_, Instant | sa.DateTime):
        return datetime.fromisoformat
    if isinstance(type_, sa.Date):
        return date.fromisoformat
    if isinstance(type_, sa.LargeBinary):
        return b64decode
    return Decimal if isinstance(type_, Exact) else _as_is


def _as_is(value: object) -> object:
    return value
