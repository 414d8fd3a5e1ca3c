"""Types of columns: instants and exact decimals, which are stored in two ways, and codes."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Final

import sqlalchemy as sa

_WORD: Final = re.compile(r"\w+", re.ASCII)


class Instant(sa.TypeDecorator[datetime]):
    """An instant in UTC, on SQLite without and on PostgreSQL with its zone."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Refuse an instant without a zone, and store the rest in UTC."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("An instant needs its zone.")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Return the instant in UTC."""
        del dialect
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Exact(sa.TypeDecorator[Decimal]):
    """An exact decimal that is never summed in SQL: text on SQLite, where NUMERIC is a float."""

    impl = sa.Numeric
    cache_ok = True

    def load_dialect_impl(self, dialect: sa.Dialect) -> sa.types.TypeEngine[Any]:
        """Choose text or NUMERIC."""
        stored_as: sa.types.TypeEngine[Any] = sa.String(64) if dialect.name == "sqlite" else sa.Numeric()
        return dialect.type_descriptor(stored_as)

    def process_bind_param(self, value: Decimal | None, dialect: sa.Dialect) -> Decimal | str | None:
        """Store the digits unchanged."""
        if value is None or dialect.name != "sqlite":
            return value
        return format(value, "f")

    def process_result_value(self, value: Any, dialect: sa.Dialect) -> Decimal | None:
        """Read the digits unchanged."""
        del dialect
        return None if value is None else Decimal(value)


class CodeWord(sa.String):
    """One of a few words of ours, as a status: what it is compared with is written into the statement as it is.

    An index may have only the rows of one status. Whether it serves a parameter depends on its value, and so SQLite
    prepares the statement anew with each value that it gets, also the same one again, which takes longer than to answer
    it. https://sqlite.org/c3ref/prepare.html
    """

    class Comparator(sa.String.Comparator[str]):
        """Write words, and lists of them, into the statement."""

        def operate(self, op: Any, *other: Any, **named: Any) -> Any:
            """Apply an operator."""
            return super().operate(op, *map(_written, other), **named)

    comparator_factory = Comparator


def _written(value: Any) -> Any:
    """Write a word as SQL.

    >>> str(_written("DRAFT")), list(map(str, _written({"bank_feed"}))), _written("it's"), _written(None)
    ("'DRAFT'", ["'bank_feed'"], "it's", None)
    """
    if isinstance(value, str):
        word = str(getattr(value, "value", value))
        return sa.literal_column(f"'{word}'", sa.String()) if _WORD.fullmatch(word) else value
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_written(each) for each in value]
    return value
