"""Preconditions of writes: an If-Match that nobody could hold is refused, for whoever sends one counts on it."""

from __future__ import annotations

from typing import Any

from flask import request

from webapp.errors import is_for_api
from webapp.ledger.errors import LedgerError
from webapp.web.access.requests import is_safe

ANY = "*"


class NoVersionError(LedgerError):
    """No answer has an ETag, so nothing matches If-Match. Leave it out; where a record has a version, send that."""

    status = 412
    code = "no_version"


def refuse_if_match(view: Any) -> None:
    """Refuse If-Match on a write; the interface document's endpoints ignore it, except for the confirmation."""
    if not is_for_api() or is_safe() or request.headers.get("If-Match", ANY).strip() == ANY:
        return
    if not getattr(view, "is_documented", False) or view.scope == "confirm":
        raise NoVersionError
