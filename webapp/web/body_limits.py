"""How large a body may be, told by its head alone: the server refuses a larger one before it reads it."""

import re
from collections.abc import Mapping
from urllib.parse import unquote

from flask import Flask
from werkzeug.exceptions import HTTPException

from webapp.web.access.requests import BODY_LIMIT

#: The largest body without a session or a key in its head, be they right or wrong.
STRANGER_BYTES = 64 * 1024
SESSION_COOKIE = re.compile(rb"(?:^|;)\s*(?:__Host-)?tieout=[^;\s]")


def limit_of(app: Flask, line: str, fields: Mapping[bytes, bytes]) -> tuple[int, str]:
    """Give the most bytes of a body, and the code of the refusal of a larger one."""
    method, target, _ = line.split(" ")
    try:
        endpoint, _ = app.url_map.bind("").match(unquote(target.partition("?")[0]), method)
        most = getattr(app.view_functions[endpoint], "body_limit", BODY_LIMIT)
    except HTTPException:
        most = BODY_LIMIT
    if b"authorization" in fields or SESSION_COOKIE.search(fields.get(b"cookie", b"")):
        return most, "too_large"
    return min(most, STRANGER_BYTES), "unauthenticated"
