"""Many clients at once, each with a connection of its own, that all begin at the same moment."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Sequence

PATIENCE_SECONDS = 60
# Less than the server keeps an idle connection: a program that waited longer opens another one.
KEPT_SECONDS = 2
TOO_MANY, AGAIN_SECONDS = 429, 0.05


@dataclass(frozen=True)
class Answer:
    """What one client got for one of its requests."""

    path: str
    status: int
    body: Any
    seconds: float
    text: bytes = b""
    is_replayed: bool = False

    @property
    def is_too_many(self) -> bool:
        return self.status == TOO_MANY and self.body["code"] == "too_many_at_once"


class Client:
    """A program that keeps its connection, and comes again where it had too many large calls at once.

    With the cookie of a session it asks as the person instead.
    """

    def __init__(self, address: str, token: str, *, cookie: str = "", is_patient: bool = True) -> None:
        self._is_patient = is_patient
        self._connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE_SECONDS)
        own = {"Cookie": f"tieout={cookie}", "Sec-Fetch-Site": "same-origin"}
        who = own if cookie else {"Authorization": f"Bearer {token}"}
        self._headers = {**who, "Content-Type": "application/json"}
        self._answered = time.monotonic()

    def post(self, path: str, body: Any = None) -> Answer:
        return self.send("POST", path, body)

    def send(
        self, method: str, path: str, body: Any = None, tag: str | None = None, *, key: str | None = None
    ) -> Answer:
        """Send a request, under an Idempotency-Key where one is given, and on condition of an ETag."""
        more = {"Idempotency-Key": key, "If-Match": tag}
        began = time.monotonic()
        while (answer := self._send(method, path, body, more, began)).is_too_many and self._is_patient:
            time.sleep(AGAIN_SECONDS)
        return answer

    def _send(self, method: str, path: str, body: Any, more: dict[str, str | None], began: float) -> Answer:
        self._request(method, path, body, more)
        response = self._connection.getresponse()
        text = response.read()
        self._answered = time.monotonic()
        is_replayed = response.headers.get("Idempotency-Replayed") == "true"
        return Answer(path, response.status, json.loads(text), time.monotonic() - began, text, is_replayed)

    def send_unheard(self, method: str, path: str, body: Any, *, key: str) -> None:
        self._request(method, path, body, {"Idempotency-Key": key})
        self.close()
        raise ConnectionResetError

    def _request(self, method: str, path: str, body: Any, more: dict[str, str | None]) -> None:
        headers = self._headers | {name: value for name, value in more.items() if value}
        if time.monotonic() - self._answered > KEPT_SECONDS:
            self.close()
        self._connection.request(method, path, json.dumps(body or {}), headers)

    def close(self) -> None:
        self._connection.close()


def all_at_once(
    address: str, tokens: Sequence[str], paths: Sequence[Sequence[str]], *, method: str = "POST"
) -> list[list[Answer]]:
    """Let one client for each of the lists of paths post to them in turn; they begin together, path by path."""
    barrier = threading.Barrier(len(paths))

    def walk(number: int) -> list[Answer]:
        answers = []
        with contextlib.closing(Client(address, tokens[number % len(tokens)])) as client:
            for path in paths[number]:
                barrier.wait(PATIENCE_SECONDS)
                answers.append(client.send(method, path))
        return answers

    with ThreadPoolExecutor(len(paths)) as threads:
        return list(threads.map(walk, range(len(paths))))


def percentile(seconds: Sequence[float], share: float) -> float:
    """Give the time within which this share of answers came, in milliseconds."""
    ordered = sorted(seconds)
    return 1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))]
