"""An alarm that one thread waits for and others put off, which wakes nobody when it is put off."""

from __future__ import annotations

import contextlib
import ctypes
import os
import select
import sys
import time

HAS_TIMERS = sys.platform == "linux"
# Linux, time.h and sys/timerfd.h.
CLOCK_MONOTONIC, TFD_NONBLOCK = 1, 0o4000
NANOSECONDS = 1_000_000_000
#: Where a system has no such timers, whoever waits looks this often.
TICK_SECONDS = 0.008


class _Time(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class _Timer(ctypes.Structure):
    """`struct itimerspec`: what follows the first alarm, and in what time that comes."""

    _fields_ = (("interval", _Time), ("value", _Time))


class Alarm:
    """A timer of the kernel, see timerfd_create(2).

    A thread that waits for a lock with a timeout asks for Python's lock each time it comes back, and so do those that
    have it then: 125 times in a second took a fifth of what a short request takes. A timer is set by one call, and
    whoever waits for it sleeps on. Another system than Linux does without, and looks again and again.
    """

    def __init__(self) -> None:
        self._fd = -1
        if HAS_TIMERS:
            # Unlike CDLL it keeps Python's lock, which would be gone for longer than the call takes.
            self._libc = ctypes.PyDLL(None, use_errno=True)
            self._fd = self._libc.timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | os.O_CLOEXEC)
            if self._fd < 0:
                raise OSError(ctypes.get_errno(), "A timer could not be made")
            self._waiting = select.poll()
            self._waiting.register(self._fd, select.POLLIN)

    def set(self, seconds: float) -> None:
        """Let it ring in some seconds, at once for 0, and not when it would have before."""
        if self._fd >= 0:
            # A time of zero would stop it.
            whole, rest = divmod(max(1, int(seconds * NANOSECONDS)), NANOSECONDS)
            timer = _Timer(_Time(0, 0), _Time(whole, rest))
            self._libc.timerfd_settime(self._fd, 0, ctypes.byref(timer), None)

    def wait(self, seconds: float) -> None:
        """Wait until it rings, for so many seconds at the most."""
        if self._fd < 0:
            time.sleep(min(seconds, TICK_SECONDS))
        elif self._waiting.poll(seconds * 1000):
            # Another setting may have come between.
            with contextlib.suppress(BlockingIOError):
                os.read(self._fd, 8)

    def close(self) -> None:
        """Give it back."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
