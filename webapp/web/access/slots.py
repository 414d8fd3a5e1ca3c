"""Slots for heavy calls: a few in all and fewer for each key, held together by all workers of an instance folder."""

import fcntl
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

log = logging.getLogger("tieout.slots")


class NoSlotError(Exception):
    """No slot is free; `is_own` where the key itself has as many as it may."""

    def __init__(self, *, is_own: bool) -> None:
        self.is_own = is_own
        super().__init__()


class Slots:
    """Files of one folder, each locked by the call that has it, with the name of the call's key inside.

    The kernel unlocks the files of a process that ends, however it ends, so that no slot is ever lost. A name in a file
    that nobody has locked means nothing.
    """

    def __init__(self, folder: Path, *, most: int, most_of_one: int) -> None:
        self._folder = folder
        self._most, self._most_of_one = most, most_of_one
        self._is_alone = False

    def take(self, name: str) -> int:
        """Take a slot for a key, or raise NoSlotError; returns the file descriptor, which frees it when closed."""
        with self._gate():
            mine, free = 0, -1
            for number in range(self._most):
                slot = self._open(f"slot-{number}")
                if not _locked(slot):
                    mine += os.pread(slot, 100, 0).decode() == name
                elif free < 0:
                    free = slot
                    continue
                os.close(slot)
            if free >= 0 and mine < self._most_of_one:
                _write_name(free, name)
                return free
            if free >= 0:
                os.close(free)
        raise NoSlotError(is_own=mine >= self._most_of_one)

    @contextmanager
    def _gate(self) -> Iterator[None]:
        """Let one call at a time look for a slot: what it counts stays true until it has one."""
        gate = self._open("gate")
        try:
            fcntl.flock(gate, fcntl.LOCK_EX)
            yield
        finally:
            os.close(gate)

    def _open(self, name: str) -> int:
        try:
            self._folder.mkdir(mode=0o700, exist_ok=True)
            return os.open(self._folder / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            if self._is_alone:
                raise
            log.warning("Each worker counts heavy calls for itself: %s", error.strerror)
            self._folder, self._is_alone = Path(tempfile.mkdtemp(prefix="tieout-slots-")), True
            return self._open(name)


def _write_name(descriptor: int, name: str) -> None:
    """Write whose slot it is; on a full disk it has no name, and counts among all but not for its key."""
    with suppress(OSError):
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, name.encode(), 0)


def _locked(descriptor: int) -> bool:
    """Lock a file unless another call has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
