"""Ask a server over connections that stay open, as cheaply as Python can, and as a program or a browser does."""

from __future__ import annotations

import gzip
import json
import socket
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PATIENCE_SECONDS: Final = 600
# A server ends an idle connection after two seconds.
IDLE_SECONDS: Final = 1
REFUSED, SERVER_ERROR = 400, 500
FORM: Final = "application/x-www-form-urlencoded"
BROWSER: Final = {
    "User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
    "Accept-Language": "en-GB,en;q=0.5",
    "Accept-Encoding": "gzip, deflate",
    "Sec-Fetch-Site": "same-origin",
}


@dataclass(frozen=True)
class Answer:
    """A status, the headers in lower case, the body, and the seconds until its last byte."""

    status: int
    headers: dict[str, str]
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        """Return the body as JSON."""
        return json.loads(self.body)

    @property
    def text(self) -> bytes:
        """Return the body as it was before it was compressed."""
        return gzip.decompress(self.body) if self.headers.get("content-encoding") == "gzip" else self.body


class Client:
    """Send requests one after another, all with the same headers."""

    def __init__(self, port: int, headers: Mapping[str, str] | None = None) -> None:
        """Connect at the first request."""
        self._port = port
        self.headers = {"Host": f"127.0.0.1:{port}", **(headers or {})}
        self._socket: socket.socket | None = None
        self._answered = 0.0

    @classmethod
    def with_token(cls, port: int, token: str) -> Client:
        """Ask the API as a program."""
        return cls(port, {"Authorization": f"Bearer {token}", "Accept": "application/json"})

    @classmethod
    def signed_in(cls, port: int, email: str, password: str) -> Client:
        """Sign in as a person does, and keep the cookie."""
        client = cls(port, BROWSER)
        answer = client.send("POST", "/sign-in", urlencode({"email": email, "password": password}), FORM)
        cookies = answer.headers.get("set-cookie", "")
        if answer.status >= REFUSED or "tieout=" not in cookies:
            raise SystemExit(f"No sign-in: {answer.status} {answer.body[:500]!r}")
        client.headers["Cookie"] = "; ".join(each.partition(";")[0] for each in cookies.split("\n"))
        return client

    def get(self, path: str, more: Mapping[str, str] | None = None) -> Answer:
        """Get an address."""
        return self.send("GET", path, more=more)

    def json(self, method: str, path: str, body: object = None) -> Answer:
        """Send a body as JSON, and refuse to go on where it is refused."""
        answer = self.send(method, path, json.dumps(body if body is not None else {}), "application/json")
        return accepted(answer, method, path)

    def form(self, path: str, fields: Mapping[str, str], more: Mapping[str, str] | None = None) -> Answer:
        """Send a form."""
        return self.send("POST", path, urlencode(fields), FORM, more)

    def upload(self, path: str, name: str, data: bytes) -> Answer:
        """Send a file."""
        border = "a-border-of-no-file"
        head = f'--{border}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        body = head.encode() + data + f"\r\n--{border}--\r\n".encode()
        return accepted(
            self.send("POST", path, body, f"multipart/form-data; boundary={border}"), "POST", path
        )

    def send(
        self,
        method: str,
        path: str,
        body: str | bytes | None = None,
        kind: str = "",
        more: Mapping[str, str] | None = None,
    ) -> Answer:
        """Send a request, and read its answer whole."""
        sent = body.encode() if isinstance(body, str) else body
        headers = {**self.headers, **(more or {})}
        if sent is not None:
            headers |= {"Content-Type": kind, "Content-Length": str(len(sent))}
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        message = f"{method} {path} HTTP/1.1\r\n{lines}\r\n".encode() + (sent or b"")
        if self._socket is None or time.perf_counter() - self._answered > IDLE_SECONDS:
            self._connect()
        began = time.perf_counter()
        answer = self._exchange(message, began) or self._exchange(message, began, is_new=True)
        if answer is None:
            raise SystemExit(f"The server closed the connection: {method} {path}")
        self._answered = time.perf_counter()
        if answer.headers.get("connection", "").lower() == "close":
            self.close()
        return answer

    def close(self) -> None:
        """End the connection."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _connect(self) -> None:
        self.close()
        self._socket = socket.create_connection(("127.0.0.1", self._port), timeout=PATIENCE_SECONDS)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def _exchange(self, message: bytes, began: float, *, is_new: bool = False) -> Answer | None:
        """Send a message and read the answer; return none where the connection had ended before it."""
        if is_new:
            self._connect()
        assert self._socket is not None  # noqa: S101  (for the reader and the type checker)
        try:
            self._socket.sendall(message)
            return self._read(began)
        except (BrokenPipeError, ConnectionResetError):
            return None

    def _read(self, began: float) -> Answer | None:
        assert self._socket is not None  # noqa: S101  (as above)
        read = b""
        while b"\r\n\r\n" not in read:
            if not (part := self._socket.recv(65536)):
                return None
            read += part
        head, _, body = read.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(":")
            name, value = name.lower(), value.strip()
            headers[name] = f"{headers[name]}\n{value}" if name in headers else value
        parts, size = [body], len(body)
        if headers.get("transfer-encoding", "").lower() == "chunked":
            tail = body
            while not tail.endswith(b"0\r\n\r\n"):
                parts.append(self._socket.recv(1 << 20))
                tail = (tail + parts[-1])[-7:]
        else:
            while size < int(headers.get("content-length", 0)):
                parts.append(self._socket.recv(1 << 20))
                if not parts[-1]:
                    raise SystemExit("The server closed the connection within an answer.")
                size += len(parts[-1])
        return Answer(int(first.split()[1]), headers, b"".join(parts), time.perf_counter() - began)


def accepted(answer: Answer, method: str, path: str) -> Answer:
    """Refuse to measure a mistake."""
    if answer.status >= REFUSED:
        raise SystemExit(f"{method} {path}: {answer.status} {answer.body[:1000]!r}")
    return answer


def percentile(times: Sequence[float], share: float) -> float:
    """Return the time that this share of all does not exceed."""
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]
