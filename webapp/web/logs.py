"""One line of JSON for each request and each unexpected error: with the request's id, and never with a secret."""

from __future__ import annotations

import json
import logging
import re
import sys
from datetime import UTC, datetime
from typing import Any, TextIO

from flask import Flask, Response, has_request_context, request

from webapp.web.access.request_state import has_begun, state

LOGGERS = ("tieout", "webapp")
SECRET = re.compile(r"tie_[0-9A-Za-z]{8,}|\$argon2[^\s'\"]*")
log = logging.getLogger("tieout.requests")


class JsonLines(logging.Formatter):
    """A record as one line of JSON; control characters in it are escaped, so that no line can be forged."""

    def format(self, record: logging.LogRecord) -> str:
        """Write the line, with everything that looks like a token or a password's hash taken out."""
        facts: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
        }
        if has_request_context() and has_begun():
            facts["requestId"] = state().id
        facts |= getattr(record, "facts", {})
        if record.exc_info:
            facts["traceback"] = self.formatException(record.exc_info)
        return SECRET.sub("[secret]", json.dumps(facts, ensure_ascii=True, default=str))


class StandardError(logging.StreamHandler[TextIO]):
    """Standard error as it is now, wherever somebody has led it."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(JsonLines())

    @property
    def stream(self) -> TextIO:  # type: ignore[override]
        """Give the present standard error."""
        return sys.stderr


_handler = StandardError()


def register_logs(app: Flask) -> None:
    """Write what happens to standard error."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.setLevel(logging.INFO)
        if _handler not in logger.handlers:
            logger.addHandler(_handler)
    app.after_request(note_request)


def note_request(response: Response) -> Response:
    """Write one line about a request: its route instead of its path, because a path may hold a one-time secret."""
    if (request.endpoint or "").endswith("static"):
        return response
    found = state().principal
    rule = request.url_rule
    facts = {
        "method": request.method,
        "route": rule.rule if rule else None,
        "ids": {name: value for name, value in (request.view_args or {}).items() if isinstance(value, int)},
        "status": response.status_code,
        "milliseconds": round((datetime.now(UTC) - state().now).total_seconds() * 1000),
        "address": request.remote_addr,
        "organizationId": found.organization_id if found else None,
        "userId": found.user_id if found else None,
        "tokenId": found.token_id if found else None,
    }
    log.info("request", extra={"facts": facts})
    return response
