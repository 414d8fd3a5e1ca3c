"""The field types of instants in requests, of calendar months, and of an entry's day."""

import re
from datetime import UTC, date, datetime
from typing import Any

import marshmallow as ma

from webapp.ledger.notation.days import EARLIEST, LATEST
from webapp.schemas import fields

ANY_DAY = "[0-9]{4}-[0-9]{2}-[0-9]{2}"
RFC_3339 = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})",
    re.ASCII | re.IGNORECASE,
)
TYPED_TIME = re.compile(rf"{ANY_DAY}T[0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}})?", re.ASCII)
WRITTEN_MONTH = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])", re.ASCII)


class Since(ma.fields.Field[datetime]):
    """An instant in RFC 3339 with its zone, also in a query string."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**fields.with_metadata(kwargs, type="string", format="date-time"))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> datetime:
        sentence = "Write an instant like 2026-03-01T09:30:00Z."
        # An unescaped + in a query string is a space.
        if not isinstance(value, str) or not RFC_3339.fullmatch(value.replace(" ", "+")):
            raise ma.ValidationError(sentence)
        try:
            return datetime.fromisoformat(value.replace(" ", "+").upper()).astimezone(UTC)
        except (ValueError, OverflowError) as error:
            raise ma.ValidationError(sentence) from error


class DayOrInstant(ma.fields.Date):
    """A day, or an instant in RFC 3339 with its zone; only in requests."""

    def __init__(self, **kwargs: Any) -> None:
        pattern = (
            f"^{ANY_DAY}(T[0-9]{{2}}:[0-9]{{2}}(:[0-9]{{2}}([.][0-9]+)?)?(Z|[+-][0-9]{{2}}:[0-9]{{2}}))?$"
        )
        super().__init__(**fields.with_metadata(kwargs, format="day-or-instant", pattern=pattern))

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date | datetime:
        sentence = "Write a day as YYYY-MM-DD, or an instant like 2026-03-01T09:30:00Z."
        if not isinstance(value, str) or not value.isascii():
            raise ma.ValidationError(sentence)
        try:
            if fields.ISO_DAY.fullmatch(value):
                return date.fromisoformat(value)
            instant = datetime.fromisoformat(value)
        except ValueError as error:
            raise ma.ValidationError(sentence) from error
        if instant.tzinfo is None:
            raise ma.ValidationError(sentence)
        return instant


class TypedTime(ma.fields.String):
    """A day and a time without a zone, as a browser's datetime-local field sends them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**fields.with_metadata(kwargs, format="typed-time"))

    def _deserialize(  # type: ignore[override]
        self, value: Any, attr: str | None, data: Any, **kwargs: Any
    ) -> datetime:
        if not isinstance(value, str) or not TYPED_TIME.fullmatch(value):
            raise ma.ValidationError("Choose a day and a time.")
        try:
            return datetime.fromisoformat(value)
        except ValueError as error:
            raise ma.ValidationError("There is no such day or time.") from error


class CalendarMonth(ma.fields.Date):
    """A month as YYYY-MM: its first day in Python."""

    def __init__(self, **kwargs: Any) -> None:
        facts = fields.with_metadata(kwargs, format="month", pattern=f"^{WRITTEN_MONTH.pattern}$")
        super().__init__(format="%Y-%m", **facts)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        del attr, data, kwargs
        if not isinstance(value, str) or not WRITTEN_MONTH.fullmatch(value):
            raise ma.ValidationError("Write a month as YYYY-MM, like 2026-10.")
        first = date.fromisoformat(f"{value}-01")
        if not EARLIEST <= first <= LATEST:
            raise ma.ValidationError("Write a month between 1900 and 2199.")
        return first


def entry_day(day: date) -> str:
    """Write an entry's day as the instant at which it begins."""
    return f"{day.isoformat()}T00:00:00Z"


class EffectiveAt(fields.Day):
    """An entry's day: sent as `YYYY-MM-DDT00:00:00Z`, read with or without that time."""

    def __init__(self, **kwargs: Any) -> None:
        pattern = f"^{self.written}(T00:00:00Z)?$"
        description = "The entry's day; sent with the time T00:00:00Z, read with or without it."
        super().__init__(
            **fields.with_metadata(kwargs, format="entry-day", pattern=pattern, description=description)
        )

    def _serialize(self, value: date | None, attr: str | None, obj: Any, **kwargs: Any) -> str | None:
        del attr, obj, kwargs
        return None if value is None else entry_day(value)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        day = value.removesuffix("T00:00:00Z") if isinstance(value, str) else value
        return super()._deserialize(day, attr, data, **kwargs)
