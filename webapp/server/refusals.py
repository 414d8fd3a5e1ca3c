"""The answers that the server gives itself, as JSON that repeats nothing of the request."""

from __future__ import annotations

import json
from typing import NamedTuple

from gunicorn.http.errors import (
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)


class RawAnswer(NamedTuple):
    """An answer to a request that never reaches the application; the connection closes after it."""

    status: str
    code: str
    sentence: str
    headers: tuple[str, ...] = ()

    def as_bytes(self) -> bytes:
        """The answer as bytes."""
        body = json.dumps({"error": self.sentence, "code": self.code})
        lines = (
            f"HTTP/1.1 {self.status}",
            "Connection: close",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
            *self.headers,
        )
        return ("\r\n".join(lines) + f"\r\n\r\n{body}").encode("ascii")


class RequestRefusedError(Exception):
    """The server answers this request itself."""

    def __init__(self, answer: RawAnswer) -> None:
        super().__init__(answer.sentence)
        self.answer = answer


MALFORMED = RawAnswer("400 Bad Request", "bad_request", "The request could not be read.")
BROKEN = RawAnswer("500 Internal Server Error", "internal", "Something went wrong here.")
HEADERS_TOO_LARGE = RawAnswer(
    "431 Request Header Fields Too Large", "headers_too_large", "The headers are too large."
)
UNAUTHENTICATED = RawAnswer(
    "401 Unauthorized",
    "unauthenticated",
    "Sign in, or send an API token as a bearer token; without one a body can only be as large as a form to sign in.",
    ("WWW-Authenticate: Bearer",),
)
TOO_LARGE = RawAnswer("413 Content Too Large", "too_large", "The body is larger than this address allows.")
TOO_SLOW = RawAnswer(
    "408 Request Timeout", "too_slow", "The request came too slowly; send it again over a faster connection."
)
FULL = RawAnswer(
    "503 Service Unavailable",
    "busy",
    "Too much is being sent at once; try again in a few seconds.",
    ("Retry-After: 5",),
)
NO_DISK = RawAnswer(
    "503 Service Unavailable",
    "disk_full",
    "There is no room on the server's disk for this body; nothing was changed. Try again later.",
    ("Retry-After: 60",),
)
CROWDED = RawAnswer(
    "503 Service Unavailable",
    "busy",
    "Too many connections are open from this address; close some and try again.",
    ("Retry-After: 5",),
)
_OURS = (InvalidResponseHeader, InvalidResponseHeaderName)
_OF_A_REQUEST = {
    LimitRequestLine: RawAnswer("414 URI Too Long", "address_too_long", "The address is too long."),
    LimitRequestHeaders: HEADERS_TOO_LARGE,
}


def refusal_of(error: BaseException) -> RawAnswer | None:
    """The answer to a malformed request, or None where the error is the server's or the application's own."""
    if isinstance(error, RequestRefusedError):
        return error.answer
    if isinstance(error, ParseException) and not isinstance(error, _OURS):
        return _OF_A_REQUEST.get(type(error), MALFORMED)
    return None
