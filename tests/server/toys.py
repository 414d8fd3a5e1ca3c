"""The worker in a thread of the test, with a small application and short limits; and clients as raw sockets."""

import contextlib
import json
import os
import socket
import threading
import time

from flask import Flask, Response, request
from gunicorn.config import Config
from gunicorn.glogging import Logger
from gunicorn.sock import TCPSocket
from waitress import wasyncore

from webapp.errors import server_refusal
from webapp.server import serving
from webapp.server.serving import Worker

#: Limits of the server that tests shorten, so that nobody waits for half a minute.
SHORT = {
    "IDLE_SECONDS": 1,
    "REQUEST_SECONDS": 0.3,
    "ANSWER_SECONDS": 0.3,
    "LAST_SECONDS": 0.3,
    "LOOK_SECONDS": 0.05,
    "BYTES_A_SECOND": 5000,
}
MOST_BYTES = 1_000_000
UPLOAD = "POST /upload HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer y\r\n"
GET = "GET /one HTTP/1.1\r\nHost: x\r\n\r\n"
LAST = "GET /two HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
PATIENCE_SECONDS = 10


def toy_application() -> Flask:
    """Answer with what came: the method, the path and the length of the body; or with as many bytes as asked."""
    app = Flask("toy")
    app.seen = []
    app.before_request(lambda: server_refusal(request.environ))

    @app.route("/sleep/<seconds>", methods=["GET", "POST"])
    def sleep(seconds):
        time.sleep(float(seconds))
        return echo("")

    @app.route("/large/<int:count>")
    def large(count):
        pieces = (b"x" * min(65536, count - begin) for begin in range(0, count, 65536))
        return Response(pieces, headers={"Content-Length": str(count)})

    @app.route("/stream/<int:count>")
    def stream(count):
        return Response(b"piece" for _ in range(count))

    @app.route("/", defaults={"path": ""}, methods=["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
    @app.route("/<path:path>", methods=["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])
    def echo(path):
        body = request.get_data()
        seen = [request.method, request.path, len(body), body[:20].decode("latin-1")]
        app.seen.append(seen)
        return Response(json.dumps(seen), headers={"X-Seen": json.dumps(seen)})

    for view in app.view_functions.values():
        view.body_limit = MOST_BYTES
    return app


class Toy:
    """A running worker, at `address`; `stop` is what TERM does."""

    def __init__(self, threads=2, most_bytes=MOST_BYTES) -> None:
        cfg = Config()
        cfg.set("threads", threads)
        cfg.set("graceful_timeout", 5)
        cfg.set("errorlog", None)
        self.clients: list[Client] = []
        self.listener = TCPSocket(("127.0.0.1", 0), cfg, Logger(cfg))
        self.address = self.listener.getsockname()
        self.app = toy_application()
        self.app.view_functions["echo"].body_limit = most_bytes
        self.worker = Worker(1, os.getppid(), [self.listener], None, 30, cfg, Logger(cfg))
        self.worker.wsgi = self.app
        self.thread = threading.Thread(target=self.worker.run)

    def start(self) -> "Toy":
        """Serve."""
        self.thread.start()
        return self

    def stop(self) -> None:
        """Ask it to end, as TERM does."""
        self.worker.handle_exit(None, None)

    def leave(self) -> None:
        for client in self.clients:
            client.sock.close()

    def join(self) -> None:
        """Wait for its end."""
        self.thread.join(PATIENCE_SECONDS)
        assert not self.thread.is_alive()
        self.leave()
        wasyncore.close_all(self.worker.map)
        self.worker.tmp.close()

    def client(self) -> "Client":
        """Connect."""
        self.clients.append(Client(socket.create_connection(self.address, PATIENCE_SECONDS)))
        return self.clients[-1]


class Client:
    """A connection that sends and reads raw bytes."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock = sock

    def send(self, text: str | bytes) -> "Client":
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
        found = b""
        while mark not in found:
            piece = self.sock.recv(65536)
            assert piece, found
            found += piece
        return found


def paths(answers: bytes) -> list[str]:
    return [json.loads(part[part.rindex(b"[") :])[1] for part in answers.split(b"HTTP/1.1 ") if b"[" in part]


def status(answer: bytes) -> int:
    return int(answer.split(None, 2)[1])


def shorten(patch, **limits) -> None:
    for name, value in {**SHORT, **limits}.items():
        patch.setattr(serving, name, value)
