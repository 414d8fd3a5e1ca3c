"""Whether the application knows who sends a body, asked before more of it is stored than any stranger may send."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable
from typing import Any

from gunicorn.http import wsgi

from webapp.server.outbox import Outbox

#: An address of the interface that is not there: 404 for whoever is known, 401 for strangers, and nothing else happens.
NOWHERE = "/api/nowhere"
#: The page that sends strangers to sign in.
ENTRANCE = "/"
OF_THE_BODY = (
    "CONTENT_LENGTH",
    "CONTENT_TYPE",
    "HTTP_TRANSFER_ENCODING",
    "HTTP_EXPECT",
    "HTTP_IDEMPOTENCY_KEY",
)

Application = Callable[[dict[str, Any], Callable[..., object]], Iterable[bytes]]


def refusal_of_stranger(application: Application, environ: dict[str, Any]) -> bytes | None:
    """The application's answer to somebody whom it does not know, or None where it knows the sender."""
    status, answer = _answer_of(application, environ, NOWHERE)
    if status == "404":
        return None
    if status == "401" and not environ["PATH_INFO"].startswith("/api"):
        return _answer_of(application, environ, ENTRANCE)[1]
    return answer


def _answer_of(application: Application, environ: dict[str, Any], path: str) -> tuple[str, bytes]:
    """Read an address as the sender of a request; answers the status and the whole answer as bytes."""
    asked = {name: value for name, value in environ.items() if name not in OF_THE_BODY}
    asked |= {"REQUEST_METHOD": "GET", "PATH_INFO": path, "QUERY_STRING": "", "wsgi.input": io.BytesIO()}
    lines = ["Connection: close"]

    def start_response(status: str, headers: list[tuple[str, str]], _error: object = None) -> None:
        lines.insert(0, f"HTTP/1.1 {status}")
        lines.extend(f"{name}: {value}" for name, value in headers)

    answer = application(asked, start_response)
    try:
        body = b"".join(answer)
    finally:
        close = getattr(answer, "close", None)
        if close is not None:
            close()
    return lines[0].split()[1], ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + body


def environ_of(request: Any, outbox: Outbox, client: Any, server: Any, cfg: Any) -> dict[str, Any]:
    """The WSGI environment of a request whose body is still to come."""
    # Otherwise gunicorn would tell the client here to go ahead.
    request._expected_100_continue = False  # noqa: SLF001
    _, environ = wsgi.create(request, outbox, client, server, cfg)
    return dict(environ)
