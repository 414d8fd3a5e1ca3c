"""Cursors: where a list goes on, as a text that only we read."""

from __future__ import annotations

import base64
import binascii
import json
import re
from datetime import date
from typing import Any

from webapp.ledger.errors import UnprocessableError
from webapp.queries.common.paging import Page
from webapp.schemas.fields import LARGEST_ID
from webapp.web.access.request_state import state

# What no text in the books contains; anything else may be part of a name that a list went up to.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


class CursorError(UnprocessableError):
    """This cursor was not given out by this list; start again without one."""

    code = "validation"

    def __init__(self) -> None:
        super().__init__(
            fields={"cursor": ["This cursor was not given out by this list; start again without one."]}
        )


def encode(key: tuple[Any, ...] | None) -> str | None:
    """Write a key as a cursor.

    >>> decode(encode((date(2026, 10, 31), 7)), "di")
    (datetime.date(2026, 10, 31), 7)
    """
    if key is None:
        return None
    parts = [value.isoformat() if isinstance(value, date) else value for value in key]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def decode(cursor: str | None, kinds: str) -> tuple[Any, ...] | None:
    """Read a cursor whose parts are of these kinds: d day, i whole number, s text; or raise CursorError."""
    if cursor is None:
        return None
    try:
        parts = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        raise CursorError from None
    if not isinstance(parts, list) or len(parts) != len(kinds):
        raise CursorError
    return tuple(_part(value, kind) for value, kind in zip(parts, kinds, strict=True))


def _part(value: Any, kind: str) -> Any:
    if kind == "i":
        if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST_ID:
            raise CursorError
        return value
    if not isinstance(value, str) or UNSTORABLE.search(value):
        raise CursorError
    try:
        return date.fromisoformat(value) if kind == "d" else value
    except ValueError:
        raise CursorError from None


def answer(key: str, page: Page[Any]) -> dict[str, Any]:
    """Give a page as the answer of a list, with the number of all records where it was asked for."""
    shown = {key: page.items, "next_cursor": encode(page.next_key)}
    return {**shown, "total": page.total()} if state().selection.is_counted else shown
