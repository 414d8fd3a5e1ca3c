"""Bytes that wait: a little in memory, more in a temporary file, all of them together within a budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from tempfile import SpooledTemporaryFile
from typing import IO

LONGEST_WAIT_SECONDS = 60
GLANCE_SECONDS = 0.5


class BudgetSpentError(Exception):
    """More would wait at once than the worker has room for."""


class Budget:
    """The bytes that may wait at once, in all spools of a worker; its threads and its poller share it."""

    def __init__(self, most_bytes: int) -> None:
        self._left = most_bytes
        self._changed = threading.Condition()

    def take(self, count: int) -> None:
        """Reserve bytes; raises BudgetSpentError where there is no room."""
        with self._changed:
            if count > self._left:
                raise BudgetSpentError
            self._left -= count

    def take_patiently(self, count: int, is_pointless: Callable[[], bool]) -> None:
        """Reserve bytes as soon as there is room; raises BudgetSpentError after a minute, or where it is pointless."""
        until = time.monotonic() + LONGEST_WAIT_SECONDS
        with self._changed:
            while count > self._left:
                if is_pointless() or time.monotonic() > until:
                    raise BudgetSpentError
                self._changed.wait(GLANCE_SECONDS)
            self._left -= count

    def give_back(self, count: int) -> None:
        """Release bytes that wait no longer."""
        with self._changed:
            self._left += count
            self._changed.notify_all()


class Spool:
    """Bytes in their order, with a budget that its writer has taken them from."""

    def __init__(self, budget: Budget, memory_bytes: int) -> None:
        self.budget = budget
        self._file = SpooledTemporaryFile(max_size=memory_bytes)  # noqa: SIM115  (closed with the connection)
        self._begin, self._end = 0, 0

    def __len__(self) -> int:
        return self._end - self._begin

    def append(self, data: bytes) -> None:
        """Add bytes at the end; raises OSError where the disk is full."""
        self._file.seek(self._end)
        self._file.write(data)
        self._end += len(data)

    def first(self, most: int) -> bytes:
        """The bytes at the beginning, as many as wanted or as there are."""
        self._file.seek(self._begin)
        return self._file.read(min(most, len(self)))

    def drop(self, count: int) -> None:
        """Forget bytes at the beginning; a file that holds no more is emptied."""
        self._begin += count
        if not len(self):
            self.budget.give_back(self._end)
            self._begin = self._end = 0
            self._file.seek(0)
            self._file.truncate()

    def as_file(self) -> IO[bytes]:
        """All bytes as a file that stands at its beginning."""
        self._file.seek(self._begin)
        return self._file

    def close(self) -> None:
        """Forget everything, and give the room back."""
        self.budget.give_back(self._end)
        self._begin = self._end = 0
        self._file.close()
