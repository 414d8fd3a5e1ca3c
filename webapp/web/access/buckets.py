"""Token buckets for rate limits, one for each API token, in a small file that all workers share.

A bucket holds the requests of a minute and fills steadily. It is stored as one number, the instant at which it will be
full again (the generic cell rate algorithm): a request moves that instant on by its share of a minute.
"""

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
# A token's bucket is its id modulo this; two tokens that share one have a stricter limit, which is acceptable.
BUCKETS = 1 << 16
FILE_NAME = "rate_limits"

log = logging.getLogger("tieout.rate_limits")


@dataclass(frozen=True, slots=True)
class Level:
    """The level of a bucket in whole requests and seconds; `wait` is 0 for an allowed request."""

    limit: int
    remaining: int
    full_in: int
    wait: int


def after_request(full_at: int, now: int, limit: int) -> tuple[int, Level]:
    """Count a request in a bucket of `limit` requests; instants are in nanoseconds.

    Returns the instant at which it is full again, and its level. A bucket that would be full after more than a minute
    was written before the clock was set back, and counts as full.

    >>> after_request(0, 0, 2)
    (30000000000, Level(limit=2, remaining=1, full_in=30, wait=0))
    >>> after_request(60 * SECOND, 10 * SECOND, 2)
    (60000000000, Level(limit=2, remaining=0, full_in=50, wait=20))
    >>> after_request(90 * SECOND, 0, 2)[1].remaining
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
    """The buckets of an installation, each a 64-bit instant in a file of fixed size, shared by processes.

    The file is allocated when it is opened, because a memory-mapped page without disk space would end the process, and
    locked once as a test, because some network file systems have no locks.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._threads = threading.Lock()
        self._descriptor = -1
        self._instants: memoryview | None = None

    def count(self, token_id: int, limit: int) -> Level:
        """Count a request of a token, or return how long to wait."""
        place = token_id % BUCKETS
        with self._threads:
            instants = self._instants or self._open()
            # A POSIX lock belongs to the process, also after a fork, and covers this bucket only.
            fcntl.lockf(self._descriptor, fcntl.LOCK_EX, 8, 8 * place)
            try:
                instants[place], level = after_request(instants[place], time.time_ns(), limit)
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
