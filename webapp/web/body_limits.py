"""How large a body may be and how long it waits, told by its head alone, before the server reads it."""

from collections.abc import Mapping
from urllib.parse import unquote

from flask import Flask
from werkzeug.exceptions import HTTPException

from webapp.web.access.heavy_calls import REFUSED_BODIES, sender_of
from webapp.web.access.requests import BODY_LIMIT

#: The largest body without a session or a key in its head, be they right or wrong.
STRANGER_BYTES = 64 * 1024


def limit_of(app: Flask, line: str, fields: Mapping[bytes, bytes]) -> tuple[int, str, float]:
    """Give the most bytes of a body, the code of the refusal of a larger one, and until when it is not read."""
    method, target, _ = line.split(" ")
    try:
        endpoint, _ = app.url_map.bind("").match(unquote(target.partition("?")[0]), method)
        most = getattr(app.view_functions[endpoint], "body_limit", BODY_LIMIT)
    except HTTPException:
        most = BODY_LIMIT
    sender = sender_of(fields.get(b"authorization"), fields.get(b"cookie", b""))
    if sender is None:
        return min(most, STRANGER_BYTES), "unauthenticated", 0.0
    is_large = int(fields.get(b"content-length", most)) > STRANGER_BYTES
    return most, "too_large", app.extensions.get(REFUSED_BODIES, {}).get(sender, 0.0) if is_large else 0.0
