"""gunicorn, set up for these books: threads, a graceful end, logs as lines of JSON."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication

from webapp.config import Settings
from webapp.db import db

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108  (a file system in memory, not a folder to write to by name)


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
            "worker_class": "gthread",
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
    Server(app, settings, greeting).run()
