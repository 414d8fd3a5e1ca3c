"""gunicorn's threaded worker, whose poller does all the waiting: its threads get whole requests.

It replaces the loop and the handling of connections of `gunicorn.workers.gthread.ThreadWorker`, of which it keeps the
signals, the thread pool, the queue of calls from threads, and `handle_request`, which runs the application.
"""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
import time
from functools import partial
from typing import Any

from gunicorn.workers.gthread import ThreadWorker

from webapp.server import refusals
from webapp.server.connections import Addresses, Connection, Phase
from webapp.server.incoming import Incoming, parser_for
from webapp.server.outbox import Outbox
from webapp.server.spools import Budget

AT_ONCE = 64
CLIENT_LEFT = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN})
LAST_REQUEST_SECONDS = 2.0
GO_AHEAD = b"HTTP/1.1 100 Continue\r\n\r\n"


class Worker(ThreadWorker):  # type: ignore[misc]
    """A worker whose `app` has `limits` and answers with `most_bytes` how large the body of a request may be."""

    sockets: list[Any]

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._limits = self.app.limits
        self._budget = Budget(self._limits.waiting_bytes)
        self._addresses = Addresses(self._limits.connections_per_address)
        self._connections: set[Connection] = set()
        self._next_look = 0.0

    def run(self) -> None:
        """Serve until a signal, then finish what has begun and what waits to be accepted."""
        self.poller.register(
            self.method_queue.fileno(), selectors.EVENT_READ, self.method_queue.run_callbacks
        )
        self._enable_accept(enabled=True)
        while self.alive and self.is_parent_alive():
            self._turn()
        self._finish()

    def _turn(self) -> None:
        self.notify()
        self.wait_for_and_dispatch_events(self._limits.look_seconds)
        if time.monotonic() >= self._next_look:
            self._end_overdue()
            self._enable_accept(enabled=self.alive)

    def _enable_accept(self, *, enabled: bool) -> None:
        if self.sockets:
            self.set_accept_enabled(enabled)

    def _finish(self) -> None:
        self.alive = False
        until = time.monotonic() + self.cfg.graceful_timeout
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
        while self._connections and time.monotonic() < until:
            self._turn()
        for connection in tuple(self._connections):
            self._drop(connection)
        self.tpool.shutdown(wait=False)
        self.poller.close()
        self.method_queue.close()

    def accept(self, listener: Any) -> None:
        """Accept connections that wait, a good number at once."""
        for _ in range(AT_ONCE):
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

    def _expect_request(self, connection: Connection, seconds: float) -> None:
        parse = parser_for(self.cfg, connection.client)
        connection.incoming = Incoming(parse, self.app.most_bytes, self._limits, self._budget)
        connection.phase = Phase.IDLE
        connection.idle_deadline = time.monotonic() + (seconds if self.alive else LAST_REQUEST_SECONDS)
        self._watch(connection, selectors.EVENT_READ)

    def _watch(self, connection: Connection, events: int) -> None:
        """Have the poller call `_ready` for some events of a connection, or for none."""
        key = self.poller.get_map().get(connection.raw)
        if not events:
            if key is not None:
                self.poller.unregister(connection.raw)
        elif key is None:
            self.poller.register(connection.raw, events, partial(self._ready, connection))
        elif key.events != events:
            self.poller.modify(connection.raw, events, key.data)

    def _ready(self, connection: Connection, _socket: Any) -> None:
        if connection.phase is Phase.GONE:
            return
        try:
            if connection.phase in {Phase.WORKING, Phase.SENDING}:
                self._send(connection)
            elif connection.phase is Phase.LINGERING:
                self._discard(connection)
            else:
                self._read(connection)
        except BlockingIOError:
            return
        except OSError:
            self._drop(connection)

    def _read(self, connection: Connection) -> None:
        data = connection.raw.recv(connection.incoming.appetite)
        if data:
            connection.phase = Phase.READING
            self._feed(connection, data)
        else:
            self._drop(connection)

    def _feed(self, connection: Connection, data: bytes) -> None:
        incoming = connection.incoming
        try:
            incoming.feed(data, time.monotonic())
        except Exception as error:  # noqa: BLE001  (the loop goes on for all others, whatever one client sends)
            self._refuse(connection, error)
            return
        if incoming.is_whole:
            self._watch(connection, 0)
            connection.phase = Phase.WORKING
            self.enqueue_req(connection)
        elif incoming.awaits_go_ahead:
            connection.answer(GO_AHEAD)

    def _refuse(self, connection: Connection, error: Exception) -> None:
        connection.answer(self._answer_to(error).as_bytes())
        self._linger(connection)

    def _answer_to(self, error: Exception) -> refusals.RawAnswer:
        answer = refusals.refusal_of(error)
        if answer is None:
            self.log.error("A request ended in an error", exc_info=error)
            return refusals.BROKEN
        self.log.warning("A request was not read: %s (%s)", answer.code, type(error).__name__)
        return answer

    def handle(self, conn: Connection) -> bool:
        """Answer a whole request, in a thread; answers whether the connection stays open."""
        request = conn.incoming.request
        request.body = conn.incoming.body_as_file()
        # The poller has sent it already, where the client waited for it.
        request._expected_100_continue = False  # noqa: SLF001
        try:
            return bool(self.handle_request(request, conn))
        except StopIteration:
            return False
        except OSError as error:
            if error.errno not in CLIENT_LEFT:
                self.log.exception("An answer could not be sent")
        except Exception as error:  # noqa: BLE001  (gunicorn's and the application's own)
            with contextlib.suppress(OSError):
                conn.sock.sendall(self._answer_to(error).as_bytes())
        return False

    def finish_request(self, conn: Connection, fs: Any) -> None:
        """Go on with a connection when its thread has written the answer."""
        conn.incoming.close()
        if conn.phase is Phase.GONE:
            return
        conn.is_kept = not fs.cancelled() and fs.exception() is None and fs.result()
        conn.phase = Phase.SENDING
        if conn.sock.is_empty:
            self._end_answer(conn)
        else:
            self._watch(conn, selectors.EVENT_WRITE)

    def _watch_answer(self, connection: Connection) -> None:
        """Send what an answer has left over while its thread goes on."""
        if connection.phase is Phase.WORKING and not connection.sock.is_empty:
            self._watch(connection, selectors.EVENT_WRITE)

    def _send(self, connection: Connection) -> None:
        connection.sock.drain(time.monotonic())
        if connection.sock.is_empty:
            self._watch(connection, 0)
            if connection.phase is Phase.SENDING:
                self._end_answer(connection)

    def _end_answer(self, connection: Connection) -> None:
        rest = connection.incoming.rest
        if not connection.is_kept:
            self._linger(connection)
            return
        self._expect_request(connection, self._limits.keepalive_seconds)
        if rest:
            connection.phase = Phase.READING
            self._feed(connection, rest)

    def _linger(self, connection: Connection) -> None:
        """End an answer, and read on a little: a socket closed with bytes unread would take the answer back."""
        connection.incoming.close()
        connection.phase = Phase.LINGERING
        connection.idle_deadline = time.monotonic() + self._limits.linger_seconds
        try:
            connection.raw.shutdown(socket.SHUT_WR)
        except OSError:
            self._drop(connection)
        else:
            self._watch(connection, selectors.EVENT_READ)

    def _discard(self, connection: Connection) -> None:
        if not connection.raw.recv(self._limits.head_bytes):
            self._drop(connection)

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
