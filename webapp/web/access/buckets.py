"""Buckets of requests, one for each token, in one small file that all workers share, and no database.

A bucket holds a minute's requests and fills steadily. What is stored of it is one number, the instant at which it will
be full again (the generic cell rate algorithm): a request takes its share of a minute by moving that instant on.
"""

from __future__ import annotations

import fcntl
import logging
import mmap
import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

SECOND = 1_000_000_000
MINUTE = 60 * SECOND
# A token's bucket is found by the end of its id: two of so many tokens share one, which is stricter and harms nobody.
BUCKETS = 1 << 16
FILE_NAME = "rate_limits"

log = logging.getLogger("tieout.rate_limits")


@dataclass(frozen=True, slots=True)
class Level:
    """How full a bucket is, counted in whole requests and whole seconds; `wait` is 0 for a request that it had."""

    limit: int
    remaining: int
    full_in: int
    wait: int


def taken(full_at: int, now: int, limit: int) -> tuple[int, Level]:
    """Take a request out of a bucket that holds `limit` of them; instants are in nanoseconds.

    Answers when it will be full again, and its level. A bucket full only after more than a minute was written by a
    clock that has since been set back, and is full.

    >>> taken(0, 0, 2)
    (30000000000, Level(limit=2, remaining=1, full_in=30, wait=0))
    >>> taken(60 * SECOND, 10 * SECOND, 2)
    (60000000000, Level(limit=2, remaining=0, full_in=50, wait=20))
    >>> taken(90 * SECOND, 0, 2)[1].remaining
    1
    """
    share = MINUTE // limit
    begun = full_at if now < full_at <= now + MINUTE else now
    later = begun + share
    if later - now > MINUTE:
        return begun, Level(limit, 0, _seconds(begun - now), _seconds(later - now - MINUTE))
    return later, Level(limit, (MINUTE - (later - now)) // share, _seconds(later - now), 0)


def _seconds(nanoseconds: int) -> int:
    return -(-nanoseconds // SECOND)


class Buckets:
    """The buckets of an installation, each a 64-bit instant in a file of fixed size; any process may take from them.

    The whole file is allocated when it is opened, for a page that a full disk has no room for would end the process;
    and locked once, for some file systems of a network cannot.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._descriptor = -1
        self._instants: memoryview | None = None

    def take(self, token_id: int, limit: int) -> Level:
        """Take a request out of a token's bucket, or answer how long to wait."""
        place = token_id % BUCKETS
        with self._threads:
            instants = self._instants or self._open()
            # A lock of POSIX is the process's own, also after a fork, and spans the one bucket.
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 8, 8 * place)
            try:
                instants[place], level = taken(instants[place], time.time_ns(), limit)
            finally:
                fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 8, 8 * place)
        return level

    def _open(self) -> memoryview:
        size = 8 * BUCKETS
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            os.posix_fallocate(self._descriptor, 0, size)
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 8)
            fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 8)
        except OSError as error:
            log.warning("Each worker counts requests for itself: %s", error.strerror)
            self._descriptor = os.memfd_create(FILE_NAME)
            os.ftruncate(self._descriptor, size)
        self._instants = memoryview(mmap.mmap(self._descriptor, size)).cast("q")
        return self._instants
