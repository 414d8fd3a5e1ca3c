"""`tieout serve`: gunicorn with our application and settings, whose workers are servers of waitress.

Beyond waitress's documented arguments this file needs the names in WAITRESS; `wasyncore` was Python's `asyncore`.
"""

from __future__ import annotations

import gc
import os
import resource
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from socket import SHUT_WR, SO_SNDBUF, SOL_SOCKET
from threading import Semaphore
from time import monotonic
from typing import Any

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.workers.base import Worker as BaseWorker
from waitress import create_server, wasyncore
from waitress.channel import HTTPChannel

from webapp.config import Settings
from webapp.server.framing import KIBIBYTE, Incoming, RefusedError
from webapp.web.access.heavy_calls import limit_of

# So many new objects are there before any is looked at whether it is garbage.
YOUNG_OBJECTS = 30_000
WAITRESS = (
    "waitress.create_server",
    "waitress.server.BaseWSGIServer.channel_class",
    "waitress.wasyncore",
    "waitress.channel.HTTPChannel.received",
    "waitress.channel.HTTPChannel.request",
    "waitress.channel.HTTPChannel.service",
)
#: Of a worker, and of all bodies that it holds.
MOST_CONNECTIONS, MOST_HELD_BYTES = 1000, 1024**3
OPTIONS = {
    "connection_limit": MOST_CONNECTIONS,
    "recv_bytes": 64 * KIBIBYTE,
    # What is larger waits in a temporary file.
    "inbuf_overflow": 64 * KIBIBYTE,
    "outbuf_overflow": 64 * KIBIBYTE,
    # Above any answer: at the default a thread waits for the reader of a large one.
    "outbuf_high_watermark": 1024**4,
    # ProxyFix alone decides what a proxy may say.
    "clear_untrusted_proxy_headers": False,
    "log_socket_errors": False,
    "ident": "",
}
LOOK_SECONDS, LAST_SECONDS, IDLE_SECONDS = 0.5, 2.0, 10.0
#: An answer has to move on within so long; a request has so long, and a second more for each so many bytes.
ANSWER_SECONDS, REQUEST_SECONDS, BYTES_A_SECOND = 30.0, 30.0, 32 * KIBIBYTE


class Channel(HTTPChannel):  # type: ignore[misc]
    """A connection that hands on to waitress what `Incoming` lets pass, and ends where it is too slow."""

    def __init__(self, worker: Worker, *arguments: Any, **options: Any) -> None:
        self._worker, self._answered = worker, 0
        self._incoming = Incoming(partial(limit_of, worker.wsgi), partial(worker.take, id(self)))
        self._since = self._moved = monotonic()
        self._is_refused, self._leaves = False, 0.0
        super().__init__(*arguments, **options)

    def received(self, data: bytes) -> None:
        """Hand on what may pass; called in the thread that polls."""
        if self._is_refused:
            return
        if not self._incoming.size:
            self._since = monotonic()
        self._incoming.is_last = self._worker.is_ending
        try:
            for piece in self._incoming.feed(data):
                super().received(piece)
        except RefusedError as error:
            self._refuse(str(error))
        except OSError:
            self._refuse("disk_full")

    def _refuse(self, code: str) -> None:
        """Let the application answer with a refusal, after the requests before it; the rest is not read."""
        self._is_refused, self.request = True, None
        super().received(self._incoming.refusal(code))

    def service(self) -> None:
        """Answer a request, in a thread; one that may write waits without a thread while many write."""
        acts, turns = self._worker.acts, self._worker.turns
        if self._incoming.is_act:
            acts.append(self)
        else:
            self.answer()
        while acts and turns.acquire(blocking=False):
            try:
                with suppress(IndexError):  # another thread took the last one
                    acts.popleft().answer()
            finally:
                turns.release()

    def answer(self) -> None:
        """Answer a request."""
        try:
            super().service()
        finally:
            self._answered += 1
            if not self.connected or (self._answered == self._incoming.count and not self._incoming.size):
                self._worker.held.pop(id(self), None)

    def send(self, data: bytes, do_close: bool = True) -> int:  # noqa: FBT001, FBT002  (waitress's own)
        """Send what the socket takes."""
        sent: int = super().send(data, do_close)
        self._moved = monotonic() if sent else self._moved
        return sent

    def readable(self) -> bool:
        """Return whether to read on, also what nobody needs; a body that has to wait is not read."""
        return bool(self._leaves) or (monotonic() >= self._incoming.until and super().readable())

    def writable(self) -> bool:
        """Return whether there is something to send."""
        return not self._leaves and super().writable()

    def end_if_overdue(self, now: float) -> None:
        """End it where the request or the answer is too slow, or nothing comes."""
        if self._leaves or self.writable():
            if now > (self._leaves or self._moved + ANSWER_SECONDS):
                self.handle_close()
            return
        self._moved = now
        if self._answered < self._incoming.count:
            self._since = now
        elif self._incoming.size:
            since = max(self._since, self._incoming.until)
            if now > since + REQUEST_SECONDS + self._incoming.size / BYTES_A_SECOND:
                self._refuse("too_slow")
        elif now > self._since + (LAST_SECONDS if self._worker.is_ending else IDLE_SECONDS):
            self.handle_close()

    def handle_close(self) -> None:
        """Close it, and give back its room; closed with bytes unread, a refused one would take its answer back."""
        if self._is_refused and self.connected and not self._leaves:
            with suppress(OSError):
                self.socket.shutdown(SHUT_WR)
                self._leaves = monotonic() + LAST_SECONDS
                return
        super().handle_close()
        if self._answered == self._incoming.count:
            self._worker.held.pop(id(self), None)


class Worker(BaseWorker):  # type: ignore[misc]
    """A process that serves."""

    def run(self) -> None:
        """Serve until a signal comes or the arbiter is gone, then finish what has begun."""
        self.map: dict[int, Any] = {}
        self.held: dict[int, int] = {}
        self.is_ending, self._next_look = False, 0.0
        # Requests that wait for each other to write leave two threads to those that only read.
        self.acts, self.turns = deque[Channel](), Semaphore(max(1, self.cfg.threads - 2))
        (listener,) = self.sockets
        # The connections inherit it: by itself the kernel takes megabytes of an answer that nobody reads.
        listener.setsockopt(SOL_SOCKET, SO_SNDBUF, 128 * KIBIBYTE)
        options = {"sockets": [listener.sock], "threads": self.cfg.threads, **OPTIONS}
        server = create_server(self.wsgi, map=self.map, **options)
        server.channel_class = partial(Channel, self)
        while self.alive and self.ppid == os.getppid():
            self._poll()
        self.is_ending = True
        # Those in the backlog believe that they are connected.
        for _ in range(MOST_CONNECTIONS):
            server.handle_accept()
        del self.map[listener.fileno()]
        listener.close()
        until = monotonic() + self.cfg.graceful_timeout - LAST_SECONDS
        while self._connections() and monotonic() < until:
            self._poll()

    def take(self, holder: int, count: int) -> None:
        """Take room for bytes of a body; raises RefusedError where there is none."""
        if sum(self.held.values()) + count > MOST_HELD_BYTES:
            raise RefusedError("busy")
        self.held[holder] = self.held.get(holder, 0) + count

    def _connections(self) -> list[Channel]:
        return [each for each in tuple(self.map.values()) if isinstance(each, Channel)]

    def _poll(self) -> None:
        wasyncore.loop(timeout=LOOK_SECONDS, use_poll=True, map=self.map, count=1)
        now = monotonic()
        if now >= self._next_look:
            self._next_look = now + LOOK_SECONDS
            self.notify()
            for connection in self._connections():
                connection.end_if_overdue(now)


class Server(BaseApplication):  # type: ignore[misc]
    """gunicorn with our application and settings."""

    def __init__(self, app: Flask, settings: Settings, hooks: Mapping[str, Callable[..., None]]) -> None:
        self._app, self._settings, self._hooks = app, settings, hooks
        super().__init__()

    def load_config(self) -> None:
        """Configure gunicorn from the settings."""
        options: dict[str, Any] = {
            "bind": self._settings.bind,
            "workers": self._settings.workers,
            "worker_class": Worker,
            "threads": self._settings.threads,
            "graceful_timeout": 30,
            "timeout": 120,
            # By default gunicorn opens a control socket in the home folder, which two instances would share.
            "control_socket_disable": True,
            # The application writes the log, as JSON (webapp/web/logs.py).
            "errorlog": None,
            # A worker shows that it is alive by touching a file: on a slow disk it would seem to be dead.
            "worker_tmp_dir": "/dev/shm" if os.access("/dev/shm", os.W_OK) else None,  # noqa: S108
            **self._hooks,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Flask:
        """Give the application."""
        return self._app


def serve(app: Flask, settings: Settings, hooks: Mapping[str, Callable[..., None]]) -> None:
    """Serve until the process is ended; no connection to the books may be open, for workers would share it."""
    # Objects that exist now stay: to look at them again and again took a quarter of the time of a large request.
    gc.collect()
    gc.freeze()
    # A page of 50 lines makes some ten thousand objects, which were looked through once for each 700 of them.
    gc.set_threshold(YOUNG_OBJECTS, *gc.get_threshold()[1:])
    # Each connection may have a socket and two files, and the usual limit is 1024.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    Server(app, settings, hooks).run()
