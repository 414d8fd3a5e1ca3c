"""The worker in a thread of the test, with a small application and short limits; and clients as raw sockets."""

import contextlib
import dataclasses
import json
import os
import selectors
import socket
import threading
import time
from types import SimpleNamespace

from gunicorn.config import Config
from gunicorn.glogging import Logger

from webapp.server.limits import Limits
from webapp.server.vouching import ENTRANCE, NOWHERE
from webapp.server.worker import Worker

SHORT = Limits(
    keepalive_seconds=1,
    head_seconds=0.2,
    body_pace_seconds=0.2,
    answer_pace_seconds=0.2,
    linger_seconds=0.2,
    look_seconds=0.05,
    pace_bytes=1000,
    memory_bytes=2000,
    stranger_bytes=100,
    unproven_bytes=2000,
    connections_per_address=0,
)
UPLOAD = "POST /upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer y\r\n"
GET = "GET /one HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = "GET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
PATIENCE_SECONDS = 10
#: Whoever is asked about the key "gated" waits here.
GATE = threading.Event()


def toy(environ, start_response):
    """Answer with what came: the method, the path and the length of the body; or with as many bytes as asked."""
    path, body = environ["PATH_INFO"], environ["wsgi.input"].read()
    if path == NOWHERE:
        if "gated" in environ["HTTP_AUTHORIZATION"]:
            GATE.wait(2 * PATIENCE_SECONDS)
        is_known = "forged" not in environ["HTTP_AUTHORIZATION"]
        start_response("404 Not Found" if is_known else "401 Unauthorized", [("X-Who", "nobody")])
        return [b"Who are you?"]
    if path == ENTRANCE:
        start_response("303 See Other", [("Location", "/sign-in"), ("Content-Length", "0")])
        return []
    if path.startswith("/sleep/"):
        time.sleep(float(path.removeprefix("/sleep/")))
    if path.startswith("/large/"):
        count = int(path.removeprefix("/large/"))
        start_response("200 OK", [("Content-Length", str(count))])
        return (b"x" * min(65536, count - begin) for begin in range(0, count, 65536))
    if path.startswith("/stream/"):
        start_response("200 OK", [])
        return (b"piece" for _ in range(int(path.removeprefix("/stream/"))))
    answer = json.dumps([environ["REQUEST_METHOD"], path, len(body), body[:20].decode()]).encode()
    start_response("200 OK", [("Content-Length", str(len(answer)))])
    return [answer]


class Toy:
    """A running worker, at `address`; `stop` is what TERM does."""

    def __init__(self, threads=2, workers=1, turns=1, most_bytes=1_000_000, **limits) -> None:
        self.limits = dataclasses.replace(SHORT, **limits)
        cfg = Config()
        for name, value in {
            "threads": threads,
            "workers": workers,
            "graceful_timeout": 5,
            "worker_class": Worker,
        }.items():
            cfg.set(name, value)
        self.clients: list[Client] = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.listener.setblocking(False)  # noqa: FBT003  (the standard library's own)
        self.address = self.listener.getsockname()
        app = SimpleNamespace(limits=self.limits, turns=turns, most_bytes=lambda _request: most_bytes)
        self.worker = Worker(1, os.getppid(), [self.listener], app, 30, cfg, Logger(cfg))
        self.worker.wsgi = toy
        self.worker.tpool = self.worker.get_thread_pool()
        self.worker.poller = selectors.DefaultSelector()
        self.worker.method_queue.init()
        self.thread = threading.Thread(target=self.worker.run)

    def start(self) -> "Toy":
        """Serve."""
        self.thread.start()
        return self

    def stop(self) -> None:
        """Ask it to end, as TERM does."""
        self.worker.handle_exit(None, None)

    def leave(self) -> None:
        """Close all clients."""
        for client in self.clients:
            client.sock.close()

    def join(self) -> None:
        """Wait for its end."""
        self.thread.join(PATIENCE_SECONDS)
        assert not self.thread.is_alive()
        self.leave()
        self.worker.tmp.close()

    def break_off(self) -> None:
        """Close what a worker has open whose process ends with an error."""
        self.worker.tpool.shutdown()
        for each in (self.worker.poller, self.worker.method_queue, self.listener, self.worker.tmp):
            each.close()

    def looks_in(self, seconds: float) -> int:
        """Count how often the poller looks for events in some time."""
        looks, select = [], self.worker.poller.select
        self.worker.poller.select = lambda timeout: looks.append(timeout) or select(timeout)
        time.sleep(seconds)
        self.worker.poller.select = select
        return len(looks)

    def client(self) -> "Client":
        """Connect."""
        self.clients.append(Client(socket.create_connection(self.address, PATIENCE_SECONDS)))
        return self.clients[-1]


class Client:
    """A connection that sends and reads raw bytes."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock

    def send(self, text: str | bytes) -> "Client":
        """Send bytes."""
        self.sock.sendall(text.encode() if isinstance(text, str) else text)
        return self

    def read(self) -> bytes:
        """Read until the server closes."""
        found = []
        with contextlib.suppress(ConnectionResetError), self.sock:
            while piece := self.sock.recv(65536):
                found.append(piece)
        return b"".join(found)

    def until(self, mark: bytes) -> bytes:
        """Read until some bytes have come."""
        found = b""
        while mark not in found:
            piece = self.sock.recv(65536)
            assert piece, found
            found += piece
        return found


def paths(answers: bytes) -> list[str]:
    """The paths that answers name, in their order."""
    return [json.loads(part[part.index(b"[") :])[1] for part in answers.split(b"HTTP/1.1 ") if b"[" in part]


def status(answer: bytes) -> int:
    """The status of the first answer among some bytes."""
    return int(answer.split(None, 2)[1])
