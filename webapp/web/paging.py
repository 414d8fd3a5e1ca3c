"""Cursors of lists: the key of the last record as an opaque text, with the list and the filters that it is from."""

import base64
import binascii
import json
import re
from collections.abc import Callable
from datetime import date
from typing import Any

from flask import has_request_context, request

from webapp.errors import is_for_api
from webapp.ledger.canonical import canonical_json, sha256_hex
from webapp.ledger.errors import UnprocessableError
from webapp.queries.common.paging import Page
from webapp.schemas.fields import LARGEST_ID
from webapp.web.access.auth import organization_id
from webapp.web.access.request_state import state

# Characters that no text in the books contains; any other may be part of a name in a cursor.
UNSTORABLE = re.compile("[\0\ud800-\udfff]")


# What chooses neither the records of a list nor their order.
OF_ANSWERS = frozenset({"count", "cursor", "fields", "include", "limit", "sums", "view"})
LENGTH_OF_MARK = 8


class CursorError(UnprocessableError):
    """This cursor is not from this list with these filters; start again without one."""

    code = "validation"

    def __init__(self) -> None:
        super().__init__(fields={"cursor": [str(CursorError.__doc__)]})


def _mark() -> str:
    """Name the list and the filters that a program asks for; a page's own links have the right ones."""
    if not has_request_context() or not is_for_api():
        return ""
    filters = sorted(
        (name, value) for name, value in request.args.items(multi=True) if name not in OF_ANSWERS
    )
    body = request.get_json(silent=True) if request.method == "POST" else None
    return sha256_hex(canonical_json([request.path, filters, body]))[:LENGTH_OF_MARK]


def encode(key: tuple[Any, ...] | None) -> str | None:
    """Encode a key as a cursor of the list that is asked for.

    >>> decode(encode((date(2026, 10, 31), 7)), "di")
    (datetime.date(2026, 10, 31), 7)
    """
    if key is None:
        return None
    parts = [*(value.isoformat() if isinstance(value, date) else value for value in key), _mark()]
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode().rstrip("=")


def decode(cursor: str | None, kinds: str) -> tuple[Any, ...] | None:
    """Decode a cursor whose values have these kinds: d day, i whole number, s text; or raise CursorError."""
    if cursor is None:
        return None
    try:
        parts = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error, RecursionError):
        raise CursorError from None
    if not isinstance(parts, list) or len(parts) != len(kinds) + 1 or parts.pop() != _mark():
        raise CursorError
    return tuple(_value(value, kind) for value, kind in zip(parts, kinds, strict=True))


def _value(value: Any, kind: str) -> Any:
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


def listed(
    key: str,
    kinds: str,
    query: dict[str, Any],
    page: Callable[..., Page[Any]],
    *,
    filters: type[Any] | None = None,
    **others: Any,
) -> dict[str, Any]:
    """Answer a page of a list in the caller's books, as its query asks; `kinds` are those of its cursor's values."""
    others |= {"after": decode(query.pop("cursor"), kinds), "limit": query.pop("limit")}
    if filters is not None:
        return answer(key, page(organization_id(), filters(**query), **others))
    return answer(key, page(organization_id(), **query, **others))


def answer(key: str, page: Page[Any]) -> dict[str, Any]:
    """A page as the answer of a list, with `total` where `count` asked for it."""
    shown = {key: page.items, "next_cursor": encode(page.next_key)}
    return {**shown, "total": page.total()} if state().selection.is_counted else shown
