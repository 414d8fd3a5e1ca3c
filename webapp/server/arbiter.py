"""The process that starts and ends the workers; while it ends, who connects is refused, and nobody is cut off."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct

from gunicorn import arbiter

# Linux, asm-generic/socket.h; Python's module has no name for it.
SO_ATTACH_FILTER = 26
# One instruction of a classic BPF program, `struct sock_filter`: return 0, keep nothing of the packet.
DROP = struct.pack("HBBI", 0x06, 0, 0, 0)


class Arbiter(arbiter.Arbiter):  # type: ignore[misc]
    """gunicorn's arbiter, which lets nobody connect any more before it ends its workers."""

    def stop(self, graceful: bool = True) -> None:  # noqa: FBT001, FBT002  (gunicorn's own)
        """End the workers; a socket that another process goes on with stays as it is."""
        if self.reexec_pid == self.master_pid == 0 and not self.systemd:
            for listener in self.LISTENERS:
                take_no_more(listener.sock)
        super().stop(graceful)


def take_no_more(listener: socket.socket) -> None:
    """Let a listening TCP socket ignore who wants to connect from now on; who is connected already can be accepted.

    Between the last look at the backlog and the close of the socket somebody might connect, and closing it would cut
    that connection off. Who is ignored asks again within a second, and is refused by then. See socket(7).
    """
    if listener.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    program = ctypes.create_string_buffer(DROP)
    filter_ = struct.pack("HL", 1, ctypes.addressof(program))
    # Another system than Linux has no such filter, and does without.
    with contextlib.suppress(OSError):
        listener.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, filter_)
