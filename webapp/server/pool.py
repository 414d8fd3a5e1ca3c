"""The threads that poll and answer requests, of which only so many compute at once as gain by it."""

from __future__ import annotations

import itertools
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor

from webapp.server.alarm import Alarm
from webapp.server.connections import Connection

#: How long a request has its turn: about twice as long as the acts take that are asked for most.
TURN_SECONDS = 0.008
#: How long the poller answers requests, one after another, before it looks for others.
AWAY_SECONDS = 0.01

_log = logging.getLogger(__name__)


class Pool:
    """Answers requests in threads of an executor, `turns` of them at a time, and beside them those that take long.

    Python computes in one thread at a time, and a thread gives Python's lock away at each row of a database and at
    each call of the system: https://docs.python.org/3/glossary.html#term-global-interpreter-lock. Where eight of them
    do so, half of the time goes into changing over. Hence whoever has a turn computes alone. A turn ends with its
    request, or when it has lasted for TURN_SECONDS: then the request goes on beside the others, and the next one has
    its turn.

    One thread at a time is the poller. While all turns are taken it could only wait, so that it answers the request
    of the last turn itself: a request that comes alone goes through one thread and not through two. When such a turn
    ends before its request, another thread is the poller from then on (https://www.dre.vanderbilt.edu/~schmidt/PDF/lf.pdf,
    "Leader/Followers"); `watch`, called again and again by a thread that does nothing else, sees to it. So the
    executor needs one thread more than the `threads` that may answer at once.

    `answer` answers a request, `poll` takes what was answered and waits for more, and `wake` makes it come back soon.
    """

    def __init__(
        self,
        executor: Executor,
        *,
        threads: int,
        turns: int,
        answer: Callable[[Connection], bool],
        poll: Callable[[], None],
        wake: Callable[[], None],
    ) -> None:
        self._executor, self._threads, self._turns = executor, threads, turns
        self._answer, self._poll, self._wake = answer, poll, wake
        self._waiting: deque[Connection] = deque()
        self._answered: deque[tuple[Connection, bool]] = deque()
        self._numbers = itertools.count()
        self._alarm = Alarm()
        # All below is guarded by it.
        self._changed = threading.Lock()
        self._began: dict[int, float] = {}
        self._working = 0
        #: In which the poller answers a request; None while it polls.
        self._turn_of_poller: int | None = None
        self._is_over = False
        self._error: BaseException | None = None

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

    def start(self) -> None:
        """Let a thread be the poller."""
        self._executor.submit(self._poll_on)

    def end(self, error: BaseException | None = None) -> None:
        """Let nobody poll any more, for an error or because all is done."""
        with self._changed:
            self._is_over = True
            self._error = self._error or error
            self._alarm.set(0)
        self._wake()

    def watch(self, seconds: float) -> bool:
        """End the turns that have lasted long, when there are any within some seconds; answers whether it goes on.

        Raises what the poller ended with.
        """
        self._alarm.wait(seconds)
        with self._changed:
            if self._error is not None:
                raise self._error
            self._end_long_turns()
            return not self._is_over

    def close(self) -> None:
        """Give back what only `watch` needs."""
        with self._changed:
            self._alarm.close()

    def _end_long_turns(self) -> None:
        now = time.monotonic()
        for number in [each for each, began in self._began.items() if now - began >= TURN_SECONDS]:
            del self._began[number]
            if number == self._turn_of_poller:
                self._turn_of_poller = None
                self.start()
        self._hand_out()
        if self._began:
            self._alarm.set(min(self._began.values()) + TURN_SECONDS - now)

    def _poll_on(self) -> None:
        """Answer and poll, in a thread, until another one is the poller, or all is over."""
        try:
            while not self._is_over and self._work():
                self._poll()
        except BaseException as error:  # noqa: BLE001  (raised again in the thread that watches)
            self.end(error)

    def _work(self) -> bool:
        """Answer requests for a while, as the poller; answers whether this thread still is."""
        until = time.monotonic() + AWAY_SECONDS
        while time.monotonic() < until and (own := self._own()) is not None:
            number, connection = own
            is_kept = self._answer_safely(connection)
            with self._changed:
                self._answered.append((connection, is_kept))
                self._working -= 1
                is_poller = number == self._turn_of_poller
                if is_poller:
                    del self._began[number]
                    self._turn_of_poller = None
            if not is_poller:
                self._wake()
                return False
        return True

    def _own(self) -> tuple[int, Connection] | None:
        """Hand out what waits, but for the request of the last turn: that is the poller's own, if there is one."""
        if not self._waiting:
            return None
        with self._changed:
            self._hand_out()
            if not self.can_begin:
                return None
            self._turn_of_poller = self._begin()
            return self._turn_of_poller, self._waiting.popleft()

    def _hand_out(self) -> None:
        """Give all turns but the last one to requests that wait."""
        while self.can_begin and len(self._began) < self._turns - 1:
            self._executor.submit(self._answer_in_turn, self._waiting.popleft(), self._begin())

    def _begin(self) -> int:
        number = next(self._numbers)
        if not self._began:
            self._alarm.set(TURN_SECONDS)
        self._began[number] = time.monotonic()
        self._working += 1
        return number

    def _answer_safely(self, connection: Connection) -> bool:
        try:
            return self._answer(connection)
        except BaseException:  # noqa: BLE001  (the thread goes on for all others)
            _log.exception("A request ended in an error")
            return False

    def _answer_in_turn(self, connection: Connection | None, number: int) -> None:
        """Answer a request beside the poller, and those that wait behind it, while there is a turn for them."""
        while connection is not None:
            is_kept = self._answer_safely(connection)
            with self._changed:
                self._answered.append((connection, is_kept))
                self._began.pop(number, None)
                self._working -= 1
                connection = None
                if self.can_begin:
                    number, connection = self._begin(), self._waiting.popleft()
                is_polling = self._turn_of_poller is None
            if is_polling:
                self._wake()
