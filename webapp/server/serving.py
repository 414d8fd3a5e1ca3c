"""`tieout serve`: gunicorn with our application and settings."""

from __future__ import annotations

import gc
import os
import resource
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from flask import Flask
from gunicorn.app.base import BaseApplication
from werkzeug.exceptions import HTTPException

from webapp.config import Settings
from webapp.database.sessions import db
from webapp.server.arbiter import Arbiter
from webapp.server.limits import Limits
from webapp.server.worker import Worker

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (a file system in memory, not a folder to write to by name)
OPEN_FILES = 8192
# How many requests have a turn at once, see webapp/server/pool.py: a database on this machine answers sooner than
# another thread could take over and give Python's lock back, and while one elsewhere answers, others can compute.
NEAR_TURNS, FAR_TURNS = 1, 2


class Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with our application and settings."""

    def __init__(self, app: Flask, settings: Settings, greeting: str) -> None:
        self._app, self._settings, self._greeting = app, settings, greeting
        # Behind a proxy all connections have the proxy's address.
        self.limits = Limits(connections_per_address=0) if settings.proxy_hops else Limits()
        self.turns = NEAR_TURNS if settings.has_near_database else FAR_TURNS
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn from the settings."""
        settings = self._settings
        options: dict[str, Any] = {
            "bind": settings.bind,
            "workers": settings.workers,
            "worker_class": Worker,
            "threads": settings.threads,
            "worker_connections": self.limits.connections,
            "graceful_timeout": 30,
            "timeout": 120,
            "keepalive": int(self.limits.keepalive_seconds),
            # It would bypass the outbox.
            "sendfile": False,
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

    def run(self) -> None:
        """Serve until the process is ended."""
        try:
            Arbiter(self).run()
        except RuntimeError as error:
            sys.stderr.write(f"{error}\n")
            sys.exit(1)

    def most_bytes(self, request: Any) -> int:
        """How large the body of a request may be, by its address."""
        default: int = self._app.config["MAX_CONTENT_LENGTH"]
        try:
            endpoint, _ = self._app.url_map.bind("").match(unquote(request.path), request.method)
        except HTTPException:
            return default
        return getattr(self._app.view_functions[endpoint], "body_limit", default)

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
    _allow_open_files()
    Server(app, settings, greeting).run()


def _allow_open_files() -> None:
    """Let the process have more files open than the usual 1024: each connection may have a socket and two files."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
