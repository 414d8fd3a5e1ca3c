"""Hundreds of slow clients of one kind on loopback, kept slow by one thread; and a proxy that buffers nothing."""

import asyncio
import contextlib
import http.client
import socket
import threading
import time
from itertools import cycle
from typing import Self
from urllib.parse import urlsplit

from tests.tree import ROOT

BYTE_SECONDS = 1
SCRIPT = next((ROOT / "webapp/static/vendor").glob("htmx-*.js")).name
HOST = "Host: localhost\r\n"
KINDS = {
    "idle": "",
    "heads": f"GET / HTTP/1.1\r\n{HOST}A: b",
    "forms to sign in": f"POST /sign-in HTTP/1.1\r\n{HOST}Content-Length: 9000\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\n\r\nemail=a",
    "bodies of strangers": f"POST /api/projects HTTP/1.1\r\n{HOST}Content-Length: 9000\r\n"
    "Content-Type: application/json\r\n\r\n ",
    "bodies with a key": f"POST /api/projects HTTP/1.1\r\n{HOST}Authorization: Bearer {{token}}\r\n"
    "Content-Length: 900000\r\nContent-Type: application/json\r\n\r\n ",
    "readers": f"GET /static/vendor/{SCRIPT} HTTP/1.1\r\n{HOST}\r\n" * 12,
}


class Storm:
    """So many slow clients of a kind, from as many addresses, who send a byte a second or read nothing."""

    def __init__(self, address: str, kind: str, token: str, *, count: int, addresses: int) -> None:
        to = urlsplit(address)
        self.kind = kind
        self._place = (to.hostname, to.port)
        self._opening = KINDS[kind].format(token=token).encode()
        self._places = cycle(f"127.0.1.{number}" for number in range(1, addresses + 1))
        self._sockets: list[socket.socket] = []
        self._count = count
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._go_on)

    def __enter__(self) -> Self:
        for _ in range(self._count):
            self._sockets.append(self._opened())
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._is_over.set()
        self._thread.join()
        for sock in self._sockets:
            sock.close()

    def _opened(self) -> socket.socket:
        sock = socket.socket()
        if self.kind == "readers":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.bind((next(self._places), 0))
        sock.settimeout(1)
        with contextlib.suppress(OSError):
            sock.connect(self._place)
            sock.sendall(self._opening)
        return sock

    def _go_on(self) -> None:
        """Send on, and begin again wherever the server ended a connection, as an attacker would."""
        while not self._is_over.wait(BYTE_SECONDS):
            for number, sock in enumerate(self._sockets):
                try:
                    if self.kind not in {"idle", "readers"}:
                        sock.send(b"a")
                except OSError:
                    sock.close()
                    self._sockets[number] = self._opened()


class Proxy:
    """A reverse proxy that passes on each byte as it comes."""

    def __init__(self, address: str) -> None:
        to = urlsplit(address)
        self._to = (to.hostname, to.port)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run)
        self._ready = threading.Event()
        self._writers: set[asyncio.StreamWriter] = set()
        self.address = ""

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_error: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._end = asyncio.Event()
        listener = socket.create_server(("127.0.0.1", 0), backlog=1000)
        # The connections inherit it: what a slow client does not read is not kept here.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 65536)
        server = await asyncio.start_server(self._pass_on, sock=listener)
        self.address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        self._ready.set()
        await self._end.wait()
        server.close()
        for writer in tuple(self._writers):
            writer.transport.abort()
        others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        await asyncio.gather(*others, *(each.wait_closed() for each in self._writers), return_exceptions=True)

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        to_reader, to_writer = await asyncio.open_connection(*self._to)
        self._writers |= {writer, to_writer}
        await asyncio.gather(_copy(reader, to_writer), _copy(to_reader, writer))


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
        writer.close()


def seconds_of_others(address: str, token: str, seconds: float) -> list[float]:
    """Read as one of the others for a while, on new connections; a request that fails counts as a minute."""
    to, took, until = urlsplit(address), [], time.monotonic() + seconds
    while time.monotonic() < until:
        began = time.monotonic()
        connection = http.client.HTTPConnection(to.hostname, to.port, timeout=15)
        try:
            connection.request("GET", "/api/transactions", headers={"Authorization": f"Bearer {token}"})
            answer = connection.getresponse()
            answer.read()
            took.append(time.monotonic() - began if answer.status == 200 else 60)
        except (OSError, http.client.HTTPException):
            took.append(60)
        finally:
            connection.close()
        time.sleep(0.02)
    return took
