"""The field of an entry's day, which answers write as the instant at which it begins."""

from __future__ import annotations

from datetime import date
from typing import Any

from webapp.schemas import fields


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
