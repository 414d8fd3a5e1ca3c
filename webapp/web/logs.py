"""The log: one line of JSON for each request and each unexpected error, with the request's id, without secrets."""

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

from flask import Response, request

from webapp.database import measures
from webapp.web.access.request_state import begun, state

# waitress would say that requests wait for a thread, and which addresses clients left: those may be secret.
LOGGERS = {
    "tieout": logging.INFO,
    "webapp": logging.INFO,
    "gunicorn.error": logging.INFO,
    "waitress": logging.ERROR,
}
SECRET_MARKS = ("tie_", "$argon2")
SECRET = re.compile(r"tie_[0-9A-Za-z]{8,}|\$argon2[^\s'\"]*")
log = logging.getLogger("tieout.requests")
_encode = json.JSONEncoder(ensure_ascii=True, default=str).encode


class JsonLines(logging.Formatter):
    """Formats a record as one line of JSON with escaped control characters, so that no line can be forged."""

    def format(self, record: logging.LogRecord) -> str:
        """Format the line, with tokens and password hashes removed."""
        facts: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": str(record.msg) if record.name == "waitress" else record.getMessage(),
        }
        current = begun()
        if current is not None:
            facts["requestId"] = current.id
            if current.id_of_client is not None:
                facts["clientRequestId"] = current.id_of_client
        facts |= getattr(record, "facts", {})
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        line = _encode(facts)
        # Hardly a line has one, and to look for the two words takes a twentieth of what the expression takes.
        return SECRET.sub("[secret]", line) if any(mark in line for mark in SECRET_MARKS) else line


class StandardError(logging.StreamHandler[TextIO]):
    """A handler for the current standard error, also if it is redirected later."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(JsonLines())

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        """The current standard error."""
        return sys.stderr


_handler = StandardError()


def write_logs() -> None:
    """Log to standard error."""
    # No line says by which thread it was written.
    logging.logThreads = logging.logMultiprocessing = False
    for name, level in LOGGERS.items():
        logger = logging.getLogger(name)
        logger.setLevel(level)
        if _handler not in logger.handlers:
            logger.addHandler(_handler)


def note_request(response: Response) -> Response:
    """Log one line about a request, with its route instead of its path, which may contain a one-time secret."""
    current, rule = state(), request.url_rule
    seconds = (datetime.now(UTC) - current.now).total_seconds()
    measures.count_request(request.method, rule.rule if rule else None, response.status_code, seconds)
    if (request.endpoint or "").endswith("static"):
        return response
    found = current.principal
    facts = {
        "method": request.method,
        "route": rule.rule if rule else None,
        "ids": {name: value for name, value in (request.view_args or {}).items() if isinstance(value, int)},
        "status": response.status_code,
        "milliseconds": round(seconds * 1000),
        "address": request.remote_addr,
        "organizationId": found.organization_id if found else None,
        "userId": found.user_id if found else None,
        "tokenId": found.token_id if found else None,
    }
    log.info("request", extra={"facts": facts})
    return response
