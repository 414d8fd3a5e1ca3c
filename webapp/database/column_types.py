"""Types of columns that are stored in two ways: instants and exact decimals."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa


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
