"""How long, how slow and how large a connection may be."""

from __future__ import annotations

from dataclasses import dataclass

KIBIBYTE = 1024
MEBIBYTE = 1024 * KIBIBYTE


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one worker, in seconds, bytes and connections."""

    connections: int = 1000
    #: From one address, IPv6 by its /64; 0 is any number, for behind a proxy all have the proxy's address.
    connections_per_address: int = 250
    keepalive_seconds: float = 5
    head_seconds: float = 10
    head_bytes: int = 64 * KIBIBYTE
    #: A body, and an answer, has to move on by this many bytes in this many seconds, or end.
    pace_bytes: int = 32 * KIBIBYTE
    body_pace_seconds: float = 10
    answer_pace_seconds: float = 30
    #: What a sign-in form needs: the largest body without a session or a key.
    stranger_bytes: int = 16 * KIBIBYTE
    #: The largest body with one that nobody has looked at yet.
    unproven_bytes: int = 64 * KIBIBYTE
    #: Of each body and each answer; what is more waits in a temporary file.
    memory_bytes: int = 64 * KIBIBYTE
    #: Of each answer in the kernel, which doubles it.
    socket_bytes: int = 128 * KIBIBYTE
    #: Of all bodies and answers that wait at once.
    waiting_bytes: int = 1024 * MEBIBYTE
    #: After the last answer of a connection, for the client to read it before the connection is gone.
    linger_seconds: float = 2
    #: Between two looks at all deadlines.
    look_seconds: float = 0.5


class Pace:
    """A deadline that moves on with the bytes.

    >>> pace = Pace(seconds=10, step=100, now=0)
    >>> pace.moved(99, now=9)
    >>> pace.deadline
    10
    >>> pace.moved(1, now=9.5)
    >>> pace.deadline
    19.5
    """

    def __init__(self, seconds: float, step: int, now: float) -> None:
        self._seconds, self._step, self._moved = seconds, step, 0
        self.deadline = now + seconds

    def moved(self, count: int, now: float) -> None:
        """Count bytes that came or went; enough of them begin a new period."""
        self._moved += count
        if self._moved >= self._step:
            self._moved = 0
            self.deadline = now + self._seconds
