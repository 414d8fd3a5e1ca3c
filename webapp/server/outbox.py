"""An answer on its way out: a thread writes it as if to a socket, and never waits for a slow reader."""

from __future__ import annotations

import errno
import math
import socket
import threading
import time
from collections.abc import Callable

from webapp.server.limits import KIBIBYTE, Limits, Pace
from webapp.server.spools import Budget, BudgetSpentError, Spool

PIECE_BYTES = 256 * KIBIBYTE


class Outbox:
    """The writing side of a connection's socket, which does not block.

    What the socket does not take at once waits in a spool; `on_waiting` is called, in the writer's thread, when bytes
    begin to wait, and the poller then calls `drain` whenever the socket takes more.
    """

    def __init__(
        self, sock: socket.socket, limits: Limits, budget: Budget, on_waiting: Callable[[], None]
    ) -> None:
        self._sock, self._limits, self._budget, self._on_waiting = sock, limits, budget, on_waiting
        self._lock = threading.Lock()
        self._spool: Spool | None = None
        self._pace: Pace | None = None
        self._is_cut = False
        self._holds_next, self._held = False, b""

    @property
    def is_empty(self) -> bool:
        """Whether everything that was written has been sent."""
        return not self._spool

    @property
    def deadline(self) -> float:
        """When the reader is too slow, unless it takes more until then."""
        pace = self._pace
        return pace.deadline if pace is not None else math.inf

    def hold_head(self) -> None:
        """Let the next bytes wait for those after them: a head goes in one piece with the beginning of its body."""
        self._holds_next = True

    def send_held(self) -> None:
        """Send a head that has no body."""
        self._holds_next = False
        if self._held:
            self.sendall(b"")

    def sendall(self, data: bytes) -> None:
        """Send bytes, now or when the socket takes them; raises OSError where the connection is gone."""
        if self._holds_next:
            self._holds_next, self._held = False, data
            return
        if self._held:
            data, self._held = self._held + data, b""
        with self._lock:
            self._refuse_if_cut()
            if self.is_empty:
                data = data[self._send(data) :]
        if data:
            self._keep(data)

    def _keep(self, data: bytes) -> None:
        try:
            self._budget.take_patiently(len(data), lambda: self._is_cut)
        except BudgetSpentError:
            raise BrokenPipeError(errno.EPIPE, "no room for an answer that is not read") from None
        with self._lock:
            if self._is_cut:
                self._budget.give_back(len(data))
                self._refuse_if_cut()
            if self._spool is None:
                self._spool = Spool(self._budget, self._limits.memory_bytes)
            begins = self.is_empty
            try:
                self._spool.append(data)
            except OSError:
                self._budget.give_back(len(data))
                raise
            if begins:
                self._pace = Pace(self._limits.answer_pace_seconds, self._limits.pace_bytes, time.monotonic())
        if begins:
            self._on_waiting()

    def drain(self, now: float) -> None:
        """Send of what waits as much as the socket takes; raises OSError where the connection is gone."""
        with self._lock:
            if self._spool is None or self._pace is None:
                return
            count = self._send(self._spool.first(PIECE_BYTES))
            self._spool.drop(count)
            self._pace.moved(count, now)
            if self.is_empty:
                self._pace = None

    def cut(self) -> None:
        """Forget what waits; whoever writes on gets an OSError."""
        with self._lock:
            self._is_cut, self._pace = True, None
            if self._spool is not None:
                self._spool.close()
                self._spool = None

    def shutdown(self, _how: int) -> None:
        """Leave the closing to the poller: gunicorn would wait here, in the thread, for the reader."""
        raise OSError(errno.ENOTCONN, "the poller closes connections")

    def close(self) -> None:
        """Leave the closing to the poller."""

    def _refuse_if_cut(self) -> None:
        if self._is_cut:
            raise BrokenPipeError(errno.EPIPE, "the connection was closed")

    def _send(self, data: bytes) -> int:
        try:
            return self._sock.send(data)
        except BlockingIOError:
            return 0
