"""The loop of a worker: it accepts connections, watches them, ends those that are too slow, and ends itself in order.

It replaces the loop of `gunicorn.workers.gthread.ThreadWorker`, of which it keeps the signals, the thread pool and the
queue of calls from threads.
"""

from __future__ import annotations

import contextlib
import errno
import math
import selectors
import signal
import socket
import time
from abc import abstractmethod
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from webapp.server import refusals
from webapp.server.connections import Addresses, Connection, Phase
from webapp.server.outbox import Outbox
from webapp.server.pool import Pool
from webapp.server.spools import Budget

#: How many connections a worker accepts before it looks for requests. Where there are others, a busy one leaves them
#: the next: whoever comes back first would otherwise have all that wait, and an idle one none.
AT_ONCE, AT_ONCE_OF_SEVERAL = 64, 1
LAST_REQUEST_SECONDS = 2.0


class AcceptingWorker(ThreadWorker):  # type: ignore[misc]
    """A worker whose `app` has `limits`; what becomes of a connection is the subclass's."""

    sockets: list[Any]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._limits = self.app.limits
        self._budget = Budget(self._limits.waiting_bytes)
        self._addresses = Addresses(self._limits.connections_per_address)
        self._connections: set[Connection] = set()
        self._next_look = 0.0
        self._ends_at = math.inf

    def get_thread_pool(self) -> ThreadPoolExecutor:
        """The threads that answer, those that ask for vouchers beside them, and the poller."""
        return ThreadPoolExecutor(max_workers=self.cfg.threads + self.most_asking + 1)

    @property
    def most_asking(self) -> int:
        """How many threads may ask for vouchers at once: a quarter of those that answer."""
        return max(1, int(self.cfg.threads) // 4)

    def run(self) -> None:
        """Serve until a signal, then finish what has begun and what waits to be accepted.

        This thread, which signals interrupt, neither polls nor answers.
        """
        self.poller.register(
            self.method_queue.fileno(), selectors.EVENT_READ, self.method_queue.run_callbacks
        )
        self._enable_accept(enabled=True)
        self._pool = Pool(
            self.tpool,
            threads=self.cfg.threads,
            turns=self.app.turns,
            answer=self.handle,
            poll=self._poll,
            wake=partial(self.method_queue.defer, _nothing),
        )
        self._pool.start()
        try:
            while self._pool.watch(self._limits.look_seconds):
                if self.alive and not self.is_parent_alive():
                    self.handle_exit(signal.SIGTERM, None)
        finally:
            # A signal may have raised SystemExit, and the process waits for its threads.
            self._pool.end()
        for connection in tuple(self._connections):
            self._drop(connection)
        self._pool.close()
        self.tpool.shutdown(wait=False)
        self.poller.close()
        self.method_queue.close()

    def _poll(self) -> None:
        """Take what was answered, and wait for events; in one thread at a time."""
        for connection, is_kept in self._pool.answered():
            self._end_request(connection, is_kept=is_kept)
        self.wait_for_and_dispatch_events(0 if self._pool.can_begin else self._limits.look_seconds)
        if time.monotonic() >= self._next_look:
            self.notify()
            self._end_overdue()
            self._enable_accept(enabled=self.alive)
        if not self.alive:
            self._finish()

    def _enable_accept(self, *, enabled: bool) -> None:
        if self.sockets:
            self.set_accept_enabled(enabled)

    def _finish(self) -> None:
        """Take nobody else, and end when all are answered, or after a while."""
        if self.sockets:
            self._ends_at = time.monotonic() + self.cfg.graceful_timeout
            self._close_listeners()
        if not self._connections or time.monotonic() >= self._ends_at:
            self._pool.end()

    def _close_listeners(self) -> None:
        self._enable_accept(enabled=False)
        for listener in self.sockets:
            # The clients in the backlog believe that they are connected.
            while self._accept_one(listener):
                pass
            listener.close()
        self.sockets = []
        for connection in self._connections:
            last = time.monotonic() + LAST_REQUEST_SECONDS
            connection.idle_deadline = min(connection.idle_deadline, last)

    def accept(self, listener: Any) -> None:
        """Accept connections that wait."""
        for _ in range(AT_ONCE if self.cfg.workers == 1 else AT_ONCE_OF_SEVERAL):
            if not self._accept_one(listener):
                return

    def _accept_one(self, listener: Any) -> bool:
        """Accept a connection; answers whether there was one."""
        if len(self._connections) >= self._limits.connections and not self._make_room():
            self._enable_accept(enabled=False)
            return False
        try:
            raw, client = listener.accept()
        except OSError as error:
            if error.errno in {errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM}:
                self.log.warning("No connection could be accepted: %s", error.strerror)
                # The poller would report the listener again at once; the next look at deadlines enables it.
                self._enable_accept(enabled=False)
                self._make_room()
            return error.errno == errno.ECONNABORTED
        # By itself the kernel takes some megabytes of an answer for each slow reader.
        with contextlib.suppress(OSError):
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self._limits.socket_bytes)
        raw.setblocking(False)  # noqa: FBT003  (the standard library's own)
        self._admit(raw, client, listener.getsockname())
        return True

    def _admit(self, raw: socket.socket, client: Any, server: Any) -> None:
        connection = Connection(raw, client, server)
        if not self._addresses.admits(client):
            with contextlib.suppress(OSError):
                raw.recv(self._limits.head_bytes)
            connection.answer(refusals.CROWDED.as_bytes())
            raw.close()
            return
        waits = partial(self.method_queue.defer, self._watch_answer, connection)
        connection.sock = Outbox(raw, self._limits, self._budget, waits)
        connection.when_ready = partial(self._ready, connection)
        self._connections.add(connection)
        self._expect_request(connection, self._limits.head_seconds)

    def _make_room(self) -> bool:
        """Close the connection that has waited longest without any request; answers whether there was one."""
        idle = [each for each in self._connections if each.phase in {Phase.IDLE, Phase.LINGERING}]
        reading = [each for each in self._connections if each.phase is Phase.READING]
        if not idle and not reading:
            return False
        self._drop(min(idle or reading, key=lambda each: each.deadline))
        return True

    def _watch(self, connection: Connection, events: int) -> None:
        """Have the poller call `_ready` for some events of a connection, or for none."""
        if events == connection.watched:
            return
        if not events:
            self.poller.unregister(connection.raw)
        elif not connection.watched:
            self.poller.register(connection.raw, events, connection.when_ready)
        else:
            self.poller.modify(connection.raw, events, connection.when_ready)
        connection.watched = events

    def _end_overdue(self) -> None:
        now = time.monotonic()
        self._next_look = now + self._limits.look_seconds
        for connection in tuple(self._connections):
            if connection.deadline > now:
                continue
            if connection.phase is Phase.READING:
                self._refuse(connection, refusals.RequestRefusedError(refusals.TOO_SLOW))
            else:
                self._drop(connection)

    def _drop(self, connection: Connection) -> None:
        self._watch(connection, 0)
        self._connections.discard(connection)
        self._addresses.left(connection.client)
        connection.close()

    @abstractmethod
    def _ready(self, connection: Connection, _socket: Any) -> None:
        """Go on with a connection whose socket is ready."""

    @abstractmethod
    def _watch_answer(self, connection: Connection) -> None:
        """Send what an answer has left over while its thread goes on."""

    @abstractmethod
    def _expect_request(self, connection: Connection, seconds: float) -> None:
        """Wait for the next request of a connection."""

    @abstractmethod
    def _end_request(self, connection: Connection, *, is_kept: bool) -> None:
        """Go on with a connection whose request is answered."""

    @abstractmethod
    def _refuse(self, connection: Connection, error: Exception) -> None:
        """Answer a request that is not handed to a thread, and end its connection."""


def _nothing() -> None:
    """Do nothing: the poller only wakes."""
