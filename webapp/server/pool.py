"""The threads that answer requests, of which only so many compute at once as gain by it."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor

from webapp.server.connections import Connection

#: How long a request has its turn: about twice as long as the acts take that are asked for most.
TURN_SECONDS = 0.008
#: How long the poller lets those compute that have a turn, one after another, before it looks for other requests.
AWAY_SECONDS = 0.01

_log = logging.getLogger(__name__)


class Pool:
    """Answers requests in threads of an executor, `turns` of them at a time, and beside them those that take long.

    Python computes in one thread at a time, and a thread gives Python's lock away at each row of a database and at
    each call of the system: https://docs.python.org/3/glossary.html#term-global-interpreter-lock. Where eight of them
    do so, half of the time goes into changing over. Hence whoever has a turn computes alone, also without the poller,
    which waits in `work` for a turn to be free. A turn ends with its request, or when it has lasted for TURN_SECONDS:
    then the request goes on beside the others, and the next one has its turn.

    `answer` answers a request in a thread, and `wake` makes the poller come to `work` and `answered` soon.
    """

    def __init__(
        self,
        executor: Executor,
        threads: int,
        turns: int,
        answer: Callable[[Connection], bool],
        wake: Callable[[], None],
    ) -> None:
        self._executor, self._threads, self._turns = executor, threads, turns
        self._answer, self._wake = answer, wake
        self._waiting: deque[Connection] = deque()
        self._answered: deque[tuple[Connection, bool]] = deque()
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        # Guarded by `_changed`: when each turn began, how many threads answer a request, and whether the poller waits.
        self._began: dict[int, float] = {}
        self._working = 0
        self._is_awaited = False

    @property
    def can_begin(self) -> bool:
        """Whether a request waits that could begin at once."""
        has_room = len(self._began) < self._turns and self._working < self._threads
        return bool(self._waiting) and has_room

    def add(self, connection: Connection) -> None:
        """Take the whole request of a connection, which is answered after those that wait already."""
        self._waiting.append(connection)

    def answered(self) -> Iterator[tuple[Connection, bool]]:
        """Give each connection that was answered since the last time, and whether it stays open."""
        while self._answered:
            yield self._answered.popleft()

    def work(self) -> bool:
        """Let requests begin, and wait a little for a turn to be free; answers whether all are still taken."""
        if not self._waiting and not self._began:
            return False
        now = time.monotonic()
        until = now + AWAY_SECONDS
        with self._changed:
            while (are_taken := self._are_taken(now)) and now < until:
                self._is_awaited = True
                self._changed.wait(min(until, min(self._began.values()) + TURN_SECONDS) - now)
                now = time.monotonic()
            self._is_awaited = False
            return are_taken

    def _are_taken(self, now: float) -> bool:
        """End the turns that have lasted long, and begin others; answers whether all are taken then."""
        for number in [each for each, began in self._began.items() if now - began >= TURN_SECONDS]:
            del self._began[number]
        while self.can_begin:
            number = next(self._numbers)
            self._began[number] = now
            self._working += 1
            self._executor.submit(self._answer_in_turn, self._waiting.popleft(), number)
        return len(self._began) == self._turns

    def _answer_in_turn(self, connection: Connection | None, number: int) -> None:
        """Answer a request, and those that wait behind it, while there is a turn for them."""
        while connection is not None:
            is_kept = False
            try:
                is_kept = self._answer(connection)
            except BaseException:  # noqa: BLE001  (the thread goes on for all others)
                _log.exception("A request ended in an error")
            connection = self._next(connection, number, is_kept=is_kept)

    def _next(self, answered: Connection, number: int, *, is_kept: bool) -> Connection | None:
        """Give back a connection that is answered, and the turn; answers whose turn it is now, if anybody's."""
        following = None
        with self._changed:
            self._answered.append((answered, is_kept))
            self._began.pop(number, None)
            if self._waiting and len(self._began) < self._turns:
                following = self._waiting.popleft()
                self._began[number] = time.monotonic()
            else:
                self._working -= 1
            is_awaited = self._is_awaited
            if is_awaited and len(self._began) < self._turns:
                self._changed.notify()
        if not is_awaited:
            self._wake()
        return following
