"""gunicorn, set up for these books: threads, a graceful end, logs as lines of JSON."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import sys
from pathlib import Path
from typing import Any, NamedTuple

from flask import Flask
from gunicorn import util
from gunicorn.app.base import BaseApplication
from gunicorn.http.errors import (
    InvalidResponseHeader,
    InvalidResponseHeaderName,
    LimitRequestHeaders,
    LimitRequestLine,
    ParseException,
)
from gunicorn.workers.gthread import ThreadWorker

from webapp.config import Settings
from webapp.db import db

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (a file system in memory, not a folder to write to by name)


class RawAnswer(NamedTuple):
    """The answer to what is no request that our application could see."""

    status: str
    code: str
    sentence: str

    def as_bytes(self) -> bytes:
        """Write the whole answer."""
        body = json.dumps({"error": self.sentence, "code": self.code})
        headers = f"Connection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        return f"HTTP/1.1 {self.status}\r\n{headers}\r\n\r\n{body}".encode("ascii")


OUR_FAULT = (InvalidResponseHeader, InvalidResponseHeaderName)
MALFORMED = RawAnswer("400 Bad Request", "bad_request", "The request could not be read.")
BROKEN = RawAnswer("500 Internal Server Error", "internal", "Something went wrong here.")
REFUSALS = {
    LimitRequestLine: RawAnswer("414 URI Too Long", "address_too_long", "The address is too long."),
    LimitRequestHeaders: RawAnswer(
        "431 Request Header Fields Too Large", "headers_too_large", "The headers are too large."
    ),
}


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's worker with threads, whose own refusals are JSON, too, and repeat nothing of what came in."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Refuse what is no HTTP; gunicorn itself would answer HTML, and log the words that it could not read."""
        del req, addr
        if isinstance(exc, ParseException) and not isinstance(exc, OUR_FAULT):
            self.log.warning("A request was not read: %s", type(exc).__name__)
            refusal = REFUSALS.get(type(exc), MALFORMED)
        else:
            self.log.error("A request ended in an error", exc_info=exc)
            refusal = BROKEN
        with contextlib.suppress(OSError):
            util.write_nonblock(client, refusal.as_bytes())


class Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with our application and settings."""

    def __init__(self, app: Flask, settings: Settings, greeting: str) -> None:
        self._app, self._settings, self._greeting = app, settings, greeting
        super().__init__()

    def load_config(self) -> None:
        """Tell gunicorn how this installation runs."""
        settings = self._settings
        wanted: dict[str, Any] = {
            "bind": settings.bind,
            "workers": settings.workers,
            "worker_class": Worker,
            "threads": settings.threads,
            "graceful_timeout": 30,
            "timeout": 120,
            "keepalive": 5,
            # By default gunicorn opens a control socket in the home folder, which two instances would share.
            "control_socket_disable": True,
            "accesslog": None,
            "limit_request_line": 8190,
            "forwarded_allow_ips": "127.0.0.1,::1" if settings.proxy_hops else "",
            # A worker tells that it is alive by touching a file: on a slow disk it would seem to be dead.
            "worker_tmp_dir": str(SHARED_MEMORY) if os.access(SHARED_MEMORY, os.W_OK) else None,
            "when_ready": lambda _server: sys.stderr.write(f"{self._greeting}\n"),
            "post_fork": lambda _server, _worker: self._forget_connections(),
        }
        for name, value in wanted.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Hand over the application."""
        return self._app

    def _forget_connections(self) -> None:
        """A worker opens connections of its own; those of its parent are not its to close."""
        with self._app.app_context():
            db.engine.dispose(close=False)


def serve(app: Flask, settings: Settings, greeting: str) -> None:
    """Serve until somebody ends it; the greeting is said on standard error once browsers are answered."""
    # What is there by now stays as long as the process. Were it looked through again whenever a request makes much,
    # like the preview of a rule that matches every line, a quarter of the time would go into that.
    gc.collect()
    gc.freeze()
    Server(app, settings, greeting).run()
