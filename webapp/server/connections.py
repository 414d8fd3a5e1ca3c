"""Connections of a worker, each in its phase, and how many of them an address may have."""

from __future__ import annotations

import contextlib
import math
import socket
from collections import Counter
from collections.abc import Callable
from enum import Enum, auto
from typing import Any

from webapp.networks import network_of
from webapp.server.incoming import Incoming
from webapp.server.outbox import Outbox


class Phase(Enum):
    """What a connection waits for."""

    IDLE = auto()  # the first byte of a request
    READING = auto()  # the rest of it
    VOUCHING = auto()  # a thread, which looks who sends it
    WORKING = auto()  # a thread, which answers
    SENDING = auto()  # the reader of the answer
    LINGERING = auto()  # the end of what the client sends, which nobody reads
    GONE = auto()


class Connection:
    """One client's socket with its request and its answer; `sock`, `client` and `server` are gunicorn's names.

    `watched` are the events that the poller waits for, and `when_ready` what it calls then.
    """

    def __init__(self, raw: socket.socket, client: Any, server: Any) -> None:
        self.raw, self.client, self.server = raw, client, server
        self.phase = Phase.IDLE
        self.is_kept = False
        self.watched = 0
        self.idle_deadline = math.inf
        self.sock: Outbox
        self.incoming: Incoming
        self.when_ready: Callable[[socket.socket], None]

    @property
    def deadline(self) -> float:
        """When it has to have moved on."""
        if self.phase is Phase.READING:
            return self.incoming.deadline
        if self.phase in {Phase.VOUCHING, Phase.WORKING, Phase.SENDING}:
            return self.sock.deadline
        return self.idle_deadline

    def answer(self, data: bytes) -> None:
        """Send a short answer as far as the socket takes it at once."""
        with contextlib.suppress(OSError):
            self.raw.send(data)

    def close(self) -> None:
        """Close the socket, and give back all room but that of a request that a thread still reads."""
        self.sock.cut()
        if self.phase is not Phase.WORKING:
            self.incoming.close()
        self.phase = Phase.GONE
        self.raw.close()


class Addresses:
    """How many connections each address has.

    >>> addresses = Addresses(most=1)
    >>> addresses.admits(("192.0.2.1", 50000)), addresses.admits(("192.0.2.1", 50001))
    (True, False)
    >>> addresses.left(("192.0.2.1", 50000))
    >>> addresses.admits(("192.0.2.1", 50002))
    True
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    def admits(self, client: Any) -> bool:
        """Count one more connection, unless its address has as many as it may."""
        place = network_of(client[0])
        if self._most and self._open[place] >= self._most:
            return False
        self._open[place] += 1
        return True

    def left(self, client: Any) -> None:
        """Count one connection less."""
        place = network_of(client[0])
        self._open[place] -= 1
        if not self._open[place]:
            del self._open[place]
