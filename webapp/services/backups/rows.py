"""Rows of every table as JSON and back, the same from SQLite and PostgreSQL."""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import lru_cache, partial
from typing import Any

import sqlalchemy as sa

from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import Base

# What ends with the installation that it was made on: nobody is signed in to a restored one, and the
# worker plans its jobs anew.
LEFT_OUT = frozenset(
    {"sessions", "sign_in_counters", "sign_in_steps", "familiar_browsers", "passkey_challenges", "jobs"}
)


def tables() -> Sequence[sa.Table]:
    """List the tables of a backup, each behind those that its rows refer to."""
    return [table for table in Base.metadata.sorted_tables if table.name not in LEFT_OUT]


def is_protected(table: sa.Table) -> bool:
    """Return whether row-level security holds for a table on PostgreSQL: its rows are organizations', or these."""
    return table.name == "organizations" or "organization_id" in table.columns


def selected(table: sa.Table) -> sa.Select[Any]:
    """Select the rows of a table in the order of its key, JSON as the text that it is kept as."""
    columns = [
        sa.cast(column, sa.Text).label(column.name) if isinstance(column.type, sa.JSON) else column
        for column in table.columns
    ]
    return sa.select(*columns).order_by(*table.primary_key.columns)


def writer(table: sa.Table) -> Callable[[sa.Row[Any]], list[object]]:
    """Give a function that writes a row, as `selected`, as a list of JSON values."""
    written = [
        (place, write)
        for place, column in enumerate(table.columns)
        if (write := _writing(column.type)) is not None
    ]

    def as_json(row: sa.Row[Any]) -> list[object]:
        values = list(row)
        for place, write in written:
            if values[place] is not None:
                values[place] = write(values[place])
        return values

    return as_json


def _writing(type_: sa.types.TypeEngine[Any]) -> Callable[[Any], object] | None:
    # Many rows have the same instant, and many acts the same actor, and change the same from the same.
    if isinstance(type_, Instant | sa.DateTime):
        return lru_cache(_instant)
    if isinstance(type_, sa.JSON):
        return lru_cache(json.loads)
    if isinstance(type_, sa.Date):
        return date.isoformat
    if isinstance(type_, sa.LargeBinary):
        return _bytes
    return _digits if isinstance(type_, Exact | sa.Numeric) else None


def _instant(value: datetime) -> str:
    return value.astimezone(UTC).isoformat()


def _bytes(value: bytes) -> str:
    return b64encode(value).decode()


def _digits(value: Decimal) -> str:
    return format(value, "f")


def reader(table: sa.Table, dialect: sa.Dialect) -> Callable[[list[Any]], list[object]]:
    """Give a function that makes a list of JSON values a row as the database's driver takes it.

    It raises ValueError for a row with another number of values.
    """
    bound = [
        (place, bind)
        for place, column in enumerate(table.columns)
        if (bind := _binding(column.type, dialect)) is not None
    ]
    width = len(table.columns)

    def read(values: list[Any]) -> list[object]:
        if len(values) != width:
            raise ValueError(f"a row has {len(values)} values instead of {width}")
        for place, bind in bound:
            values[place] = bind(values[place])
        return values

    return read


def _binding(type_: sa.types.TypeEngine[Any], dialect: sa.Dialect) -> Callable[[Any], object] | None:
    """Read a JSON value, and give it to the driver as the column's type does."""
    read = _reading(type_)
    processor: Callable[[Any], object] | None = type_.dialect_impl(dialect).bind_processor(dialect)
    if read is None:
        return processor

    def bind(value: Any) -> object:
        found = None if value is None else read(value)
        return found if processor is None else processor(found)

    # Many rows have the same day or instant.
    return lru_cache(bind) if isinstance(type_, Instant | sa.DateTime | sa.Date) else bind


def _reading(type_: sa.types.TypeEngine[Any]) -> Callable[[Any], object] | None:
    if isinstance(type_, Instant | sa.DateTime):
        return datetime.fromisoformat
    if isinstance(type_, sa.Date):
        return date.fromisoformat
    if isinstance(type_, sa.LargeBinary):
        return b64decode
    if isinstance(type_, sa.String):
        return partial(_text, type_.length)
    return Decimal if isinstance(type_, Exact) else None


def _text(most: int | None, value: object) -> str:
    """Return a text that both databases take, of so many letters at most; raises ValueError."""
    if not isinstance(value, str) or "\0" in value or (most is not None and len(value) > most):
        raise ValueError(f"{value!r:.40} is no text, or longer than its column")
    return value
