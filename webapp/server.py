"""The gunicorn server: threads, a graceful shutdown, logs as lines of JSON."""

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
    """An answer to a malformed request, which never reaches the application."""

    status: str
    code: str
    sentence: str

    def as_bytes(self) -> bytes:
        """The answer as bytes."""
        body = json.dumps({"error": self.sentence, "code": self.code})
        headers = f"Connection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
        return f"HTTP/1.1 {self.status}\r\n{headers}\r\n\r\n{body}".encode("ascii")


OUR_FAULT = (InvalidResponseHeader, InvalidResponseHeaderName)
MALFORMED = RawAnswer("400 Bad Request", "bad_request", "The request could not be read.")
BROKEN = RawAnswer("500 Internal Server Error", "internal", "Something went wrong here.")
ERROR_ANSWERS = {
    LimitRequestLine: RawAnswer("414 URI Too Long", "address_too_long", "The address is too long."),
    LimitRequestHeaders: RawAnswer(
        "431 Request Header Fields Too Large", "headers_too_large", "The headers are too large."
    ),
}


class Worker(ThreadWorker):  # type: ignore[misc]
    """gunicorn's threaded worker, with errors as JSON that repeat nothing of the request."""

    def handle_error(self, req: Any, client: Any, addr: Any, exc: Exception) -> None:
        """Answer a malformed request; gunicorn itself would answer HTML, and log parts of the request."""
        del req, addr
        if isinstance(exc, ParseException) and not isinstance(exc, OUR_FAULT):
            self.log.warning("A request was not read: %s", type(exc).__name__)
            answer = ERROR_ANSWERS.get(type(exc), MALFORMED)
        else:
            self.log.error("A request ended in an error", exc_info=exc)
            answer = BROKEN
        with contextlib.suppress(OSError):
            util.write_nonblock(client, answer.as_bytes())


class Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with our application and settings."""

    def __init__(self, app: Flask, settings: Settings, greeting: str) -> None:
        self._app, self._settings, self._greeting = app, settings, greeting
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn from the settings."""
        settings = self._settings
        options: dict[str, Any] = {
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
            # A worker shows that it is alive by touching a file: on a slow disk it would seem to be dead.
            "worker_tmp_dir": str(SHARED_MEMORY) if os.access(SHARED_MEMORY, os.W_OK) else None,
            "when_ready": lambda _server: sys.stderr.write(f"{self._greeting}\n"),
            "post_fork": lambda _server, _worker: self._forget_connections(),
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """The application."""
        return self._app

    def _forget_connections(self) -> None:
        """Drop the connections of the parent process without closing them; a worker opens its own."""
        with self._app.app_context():
            db.engine.dispose(close=False)


def serve(app: Flask, settings: Settings, greeting: str) -> None:
    """Serve until the process is ended; the greeting is written to standard error when the server is ready."""
    # Objects that exist now live as long as the process. Without freezing them the garbage collector takes a quarter
    # of the time of a large request, such as the preview of a rule that matches every line.
    gc.collect()
    gc.freeze()
    Server(app, settings, greeting).run()
