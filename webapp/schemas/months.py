"""The field of a calendar month."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import marshmallow as ma

from webapp.ledger.notation.days import EARLIEST, LATEST
from webapp.schemas.fields import with_metadata

WRITTEN = re.compile(r"[0-9]{4}-(0[1-9]|1[0-2])", re.ASCII)


class CalendarMonth(ma.fields.Date):
    """A month as YYYY-MM: its first day in Python."""

    def __init__(self, **kwargs: Any) -> None:
        facts = with_metadata(kwargs, format="month", pattern=f"^{WRITTEN.pattern}$")
        super().__init__(format="%Y-%m", **facts)

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> date:
        del attr, data, kwargs
        if not isinstance(value, str) or not WRITTEN.fullmatch(value):
            raise ma.ValidationError("Write a month as YYYY-MM, like 2026-10.")
        first = date.fromisoformat(f"{value}-01")
        if not EARLIEST <= first <= LATEST:
            raise ma.ValidationError("Write a month between 1900 and 2199.")
        return first
