"""Measure what others feel of heavy calls: their p99 while one key runs each of them, as ratios to a quiet server.

    python -m benchmarks.starving [LINES] [sqlite|postgresql]

One organization imports LINES lines; then a key of it asks for one heavy call after the other, twice at once where that
only reads. Meanwhile a colleague writes and reads the hub, and so does somebody of another organization. Ends with 1
where a p99 is above the promise (P14): a second.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.imports import FORMATS, LONGEST_SECONDS, served, upload
from tests.concurrency import crowds
from tests.concurrency.crowds import Client, percentile
from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import PostgresqlServer, SqliteFiles

LINES, PROMISED_MS, QUIET_SECONDS = 50_000, 1000, 5
RULES, REFUSED = "/api/automations/rules", 400
crowds.PATIENCE_SECONDS = LONGEST_SECONDS


class Others:
    """Two people who write and read on, one of the same organization and one of another."""

    def __init__(self, address: str, colleague: Person, stranger: Person) -> None:
        self._address, self._ended = address, threading.Event()
        self.seconds: dict[str, list[float]] = {}
        self.failed = 0
        self._threads = [
            threading.Thread(target=self._ask, args=(f"{who} {what}", person, what))
            for who, person in (("own", colleague), ("other", stranger))
            for what in ("write", "read")
        ]

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        """Let them work for as long as the block lasts."""
        for thread in self._threads:
            thread.start()
        try:
            yield
        finally:
            self._ended.set()
            for thread in self._threads:
                thread.join()

    def _ask(self, name: str, person: Person, what: str) -> None:
        taken = self.seconds[name] = []
        with contextlib.closing(Client(self._address, person.token)) as client:
            number = 0
            while not self._ended.wait(0.02):
                number += 1
                if what == "write":
                    answer = client.post("/api/projects", {"name": f"{time.time_ns()}"})
                else:
                    answer = client.send("GET", "/api/reconciliations/accounts")
                taken.append(answer.seconds)
                self.failed += answer.status >= REFUSED


class Heavy:
    """The heavy calls of a key, each by a name."""

    def __init__(self, address: str, person: Person, lines: int, account_id: int) -> None:
        self._address, self._person, self._lines = address, person, lines
        self._rule = {
            "name": "Every line",
            "conditions": {"conditions": [{"value": "Shop"}]},
            "effects": [{"kind": "SET_ACCOUNT", "accountId": account_id}],
        }
        self._rule_id = 0

    def acts(self) -> Iterator[tuple[str, Callable[[], int]]]:
        """Give each call with its name, in an order in which they can be made; a call answers its status."""
        yield (
            "import",
            lambda: 201 * (upload(self._address, self._person, "ofx", FORMATS["ofx"](self._lines)) > 0),
        )
        self._rule_id = self._ask("POST", RULES, self._rule)["rule"]["id"]
        path = f"{RULES}/{self._rule_id}"
        yield "2 previews of a rule", self._twice("POST", f"{RULES}/preview", {**self._rule, "name": "Again"})
        yield "2 exports as hledger", self._twice("GET", "/api/exports/hledger")
        yield "2 lists of transfers", self._twice("GET", "/api/transfers")
        yield "2 general ledgers", self._twice("GET", "/api/exports/report?report=general_ledger&format=csv")
        digest = self._ask("POST", f"{path}/preview")["preview"]["digest"]
        yield "rule, dry run", self._once("POST", f"{path}/apply?dryRun=true", {"digest": digest})
        few = f"{path}/apply?from=2024-01-01&to=2024-01-31"
        found = self._ask("POST", few.replace("apply", "preview"))["preview"]
        yield "rule, a month", self._once("POST", few, {"digest": found["digest"]})
        yield (
            "rule, whole",
            self._once(
                "POST",
                f"{path}/apply",
                lambda: {"digest": self._ask("POST", f"{path}/preview")["preview"]["digest"]},
            ),
        )
        ids = [each["id"] for each in self._ask("GET", "/api/transactions?limit=120")["transactions"]]
        yield (
            "confirm 120, dry run",
            self._once("POST", "/api/transactions/confirm?dryRun=true", {"ids": ids}),
        )
        yield "confirm 120", self._once("POST", "/api/transactions/confirm", {"ids": ids})
        yield (
            "lock date, dry run",
            self._once("PUT", "/api/lock-date?dryRun=true", {"lockDate": "2024-06-30", "moveDrafts": True}),
        )

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        with contextlib.closing(Client(self._address, self._person.token)) as client:
            answer = client.send(method, path, body)
            if answer.status >= REFUSED:
                raise SystemExit(f"{method} {path}: {answer.text!r}")
            return answer.body

    def _once(self, method: str, path: str, body: Any = None) -> Callable[[], int]:
        sent = body() if callable(body) else body
        return lambda: self._status(method, path, sent)

    def _twice(self, method: str, path: str, body: Any = None) -> Callable[[], int]:
        def ask() -> int:
            second = threading.Thread(target=self._status, args=(method, path, body))
            second.start()
            status = self._status(method, path, body)
            second.join()
            return status

        return ask

    def _status(self, method: str, path: str, body: Any) -> int:
        import urllib.error  # noqa: PLC0415  (a file is no JSON, which the clients of crowds read)
        import urllib.request  # noqa: PLC0415

        request = urllib.request.Request(  # noqa: S310  (our own address)
            self._address + path,
            None if body is None and method == "GET" else json.dumps(body or {}).encode(),
            {"Authorization": f"Bearer {self._person.token}", "Content-Type": "application/json"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=LONGEST_SECONDS) as answer:  # noqa: S310  (our own address)
                answer.read()
                return int(answer.status)
        except urllib.error.HTTPError as error:
            print("   ", error.code, error.read()[:200].decode(), flush=True)
            return error.code


def main(count: int, engine: str) -> bool:
    """Measure every heavy call and print a row for each; answers whether the promise is held."""
    print(f"{count:,} lines on {engine}, one worker; p99 and longest of others in ms", flush=True)
    is_held = True
    # A server starts only where nobody else can read its books.
    os.umask(0o077)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        store = SqliteFiles(folder) if engine == "sqlite" else PostgresqlServer("starving", "benchmark")
        house = House(store, folder)
        house.refresh()
        ada, ben, dan = (house.people[name] for name in ("ada", "ben", "dan"))
        account_id = Bank(house.app, ada).account("Shopping")
        with served(house) as server:
            row(server.address, ben, dan, "nothing", lambda: time.sleep(QUIET_SECONDS) or 0)
            heavy = Heavy(server.address, ada, count, account_id)
            for name, call in heavy.acts():
                is_held &= row(server.address, ben, dan, name, call)
    return is_held


def row(address: str, colleague: Person, stranger: Person, name: str, call: Callable[[], int]) -> bool:
    """Make a call while others work, and print what they felt; answers whether the promise is held."""
    others = Others(address, colleague, stranger)
    began = time.monotonic()
    with others.at_work():
        status = call()
        seconds = time.monotonic() - began
        time.sleep(0.3)
    felt = {who: percentile(taken, 0.99) for who, taken in others.seconds.items()}
    told = "  ".join(f"{who} {p99:6.0f} {1000 * max(others.seconds[who]):6.0f}" for who, p99 in felt.items())
    print(f"{name:<22} {status:4} {seconds:6.1f} s   {told}   {others.failed} failed", flush=True)
    return max(felt.values()) <= PROMISED_MS and not others.failed


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if sys.argv[1:] else LINES, sys.argv[2] if sys.argv[2:] else "sqlite"))
