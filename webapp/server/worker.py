"""A worker that gives its threads only whole requests: its poller reads them, and sends what a reader does not take.

Of gunicorn it keeps the parser of heads and `handle_request`, which runs the application.
"""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
import time
from collections import deque
from concurrent.futures import Future
from functools import partial
from typing import Any

from webapp.server import refusals
from webapp.server.accepting import LAST_REQUEST_SECONDS, AcceptingWorker
from webapp.server.connections import Connection, Phase
from webapp.server.incoming import Incoming, parser_for, plain
from webapp.server.vouching import environ_of, refusal_of_stranger

CLIENT_LEFT = frozenset({errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN})
GO_AHEAD = b"HTTP/1.1 100 Continue\r\n\r\n"


class Worker(AcceptingWorker):
    """A worker whose `app` answers with `most_bytes` how large the body of a request may be."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._unvouched: deque[Connection] = deque()
        self._asking = 0
        self._plain_cfg = plain(self.cfg)

    def _expect_request(self, connection: Connection, seconds: float) -> None:
        parse = parser_for(self._plain_cfg, connection.client)
        connection.incoming = Incoming(parse, self.app.most_bytes, self._limits, self._budget)
        connection.phase = Phase.IDLE
        connection.idle_deadline = time.monotonic() + (seconds if self.alive else LAST_REQUEST_SECONDS)
        self._watch(connection, selectors.EVENT_READ)

    def _ready(self, connection: Connection, _socket: Any) -> None:
        if connection.phase is Phase.GONE:
            return
        try:
            if connection.phase in {Phase.WORKING, Phase.SENDING}:
                if connection.watched == selectors.EVENT_READ:
                    # What comes during an answer waits for its end.
                    self._watch(connection, 0)
                else:
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
        if incoming.needs_voucher:
            self._watch(connection, 0)
            connection.phase = Phase.VOUCHING
            self._unvouched.append(connection)
            self._ask_for_next()
        else:
            self._go_on(connection)

    def _ask_for_next(self) -> None:
        """Ask for vouchers in a few threads, so that a crowd of senders leaves the others to requests."""
        while self._unvouched and self._asking < self.most_asking:
            connection = self._unvouched.popleft()
            if connection.phase is Phase.VOUCHING:
                self._asking += 1
                asked = self.tpool.submit(self._ask_for_voucher, connection)
                asked.add_done_callback(partial(self.method_queue.defer, self._take_voucher, connection))

    def _ask_for_voucher(self, connection: Connection) -> bytes | None:
        """Ask the application who sends a large body, in a thread; answers its refusal of strangers."""
        request = connection.incoming.request
        place = connection.client, connection.server, self.cfg
        return refusal_of_stranger(self.wsgi, environ_of(request, connection.sock, *place))

    def _take_voucher(self, connection: Connection, asked: Future[bytes | None]) -> None:
        self._asking -= 1
        self._ask_for_next()
        if connection.phase is not Phase.VOUCHING:
            return
        error = asked.exception()
        refusal = self._answer_to(error).as_bytes() if error else asked.result()
        if refusal is not None:
            connection.answer(refusal)
            self._linger(connection)
            return
        connection.incoming.vouch(time.monotonic())
        connection.phase = Phase.READING
        self._watch(connection, selectors.EVENT_READ)
        self._go_on(connection)

    def _go_on(self, connection: Connection) -> None:
        """Hand a whole request to a thread, or wait for the rest of it."""
        incoming = connection.incoming
        if incoming.is_whole:
            connection.phase = Phase.WORKING
            self._pool.add(connection)
        elif incoming.awaits_go_ahead:
            connection.answer(GO_AHEAD)

    def _refuse(self, connection: Connection, error: Exception) -> None:
        connection.answer(self._answer_to(error).as_bytes())
        self._linger(connection)

    def _answer_to(self, error: BaseException) -> refusals.RawAnswer:
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
        conn.sock.hold_head()
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
        finally:
            with contextlib.suppress(OSError):
                conn.sock.send_held()
            # Here and not in the poller, which ends without waiting for the threads of clients that it has cut.
            conn.incoming.close()
        return False

    def _end_request(self, connection: Connection, *, is_kept: bool) -> None:
        """Go on with a connection when its thread has written the answer."""
        if connection.phase is Phase.GONE:
            return
        connection.is_kept = is_kept
        connection.phase = Phase.SENDING
        if connection.sock.is_empty:
            self._end_answer(connection)
        else:
            self._watch(connection, selectors.EVENT_WRITE)

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
