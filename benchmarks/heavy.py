"""Measure heavy work, and what everybody else feels of it (S6, S7, S9, S14).

    python -m benchmarks.heavy [--engine sqlite|postgresql] [--postings N] [--lines M] [--books DIR] [--checkout DIR]
        [--only WORD]

Books are those of `benchmarks.served`. S6 and S7 push lines into new books. Ends with 1 where a must is missed.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from benchmarks import books as kept_books
from benchmarks import histories, servers
from benchmarks.client import REFUSED, Client, percentile
from benchmarks.figures import Figure, Table, at_most, options_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator

    from benchmarks.books import Books
    from benchmarks.servers import Served

PUSHED, BATCH, RULES = 20_000, 1_000, 50
HELLOS_A_LINE, HOPED_HELLOS, FASTER_AGAIN = 0.8, 0.4, 3
FELT_SECONDS, HOPED_SECONDS, QUIET_SECONDS, PAUSE_SECONDS = 1.0, 0.3, 3, 0.02
CHECK_SECONDS, BACKUP_SECONDS, RESTORE_SECONDS = 60, 60, 300
# The open lines of a fortnight, which are as many as one run of a rule may change.
FORTNIGHT: Final = "from=2024-01-01&to=2024-01-15"


def ingested(books: Books, checkout: Path) -> list[Figure]:
    """Push lines into new books with rules, and then the same lines in other batches (S6, S7)."""
    with kept_books.empty(books, checkout) as new, servers.tieout(checkout, new.settings) as served:
        client = Client.with_token(served.port, new.token)
        fa_id = client.json("POST", "/api/feeds/accounts", FEED).json["feedAccount"]["faId"]
        _make_rules(client)
        path = f"/api/feeds/accounts/{fa_id}/transactions"
        with servers.hello() as hello:
            first, hellos, added = _pushed(client, Client(hello.port), path, "first")
            again, _, more = _pushed(client, Client(hello.port), path, "again")
    hello_seconds = median(hellos)
    hellos_a_line, ratio = first / hello_seconds, first / again
    note = f"{1 / first:,.0f} lines/s, a hello {1000 * hello_seconds:.2f} ms, {added:,} lines"
    is_met = ratio >= FASTER_AGAIN and not more
    rate = "S7 the same again, rate of the first"
    return [
        at_most("S6 hellos a line, with 50 rules", hellos_a_line, HELLOS_A_LINE, HOPED_HELLOS, note),
        Figure(rate, ratio, FASTER_AGAIN, FASTER_AGAIN, is_met, note=f"{more} more lines"),
    ]


FEED: Final = {"name": "Checking", "currency": "EUR", "externalId": "checking"}


def _make_rules(client: Client) -> None:
    """Make rules that give lines whose text has a word their account and merchant."""
    account = _accounts(client)["Software"]
    merchant = client.json("POST", "/api/merchants", {"name": "Shop"}).json["merchant"]["id"]
    effects = [
        {"kind": "SET_ACCOUNT", "accountId": account},
        {"kind": "SET_MERCHANT", "orgMerchantId": merchant},
    ]
    for number in range(RULES):
        text = f"shop {number * 200 // RULES}"
        body = {"name": text, "conditions": {"conditions": [{"value": text}]}, "effects": effects}
        client.json("POST", "/api/automations/rules", body)


def _pushed(client: Client, greeter: Client, path: str, name: str) -> tuple[float, list[float], int]:
    """Push all lines in batches; return the seconds a line, those of greetings between, and how many were new."""
    seconds, hellos, added = 0.0, [], 0
    for start in range(0, PUSHED, BATCH):
        lines = [_line(number) for number in range(start, start + BATCH)]
        hellos.append(_greeted(greeter))
        answer = client.json("POST", path, {"batchId": f"{name}-{start}", "added": lines})
        seconds += answer.seconds
        added += sum(each["verdict"] == "NEW" for each in answer.json["results"])
    return seconds / PUSHED, hellos, added


def _greeted(greeter: Client) -> float:
    """Ask for some greetings, now and then as the others do; return what most of them took."""
    times = []
    for _ in range(10):
        time.sleep(PAUSE_SECONDS)
        times.append(greeter.get("/").seconds)
    return median(times)


def _line(number: int) -> dict[str, object]:
    return {
        "providerTransactionId": f"transaction-{number:09}",
        "bookedOn": str(histories.FIRST + timedelta(days=number % histories.DAYS)),
        "amount": f"{'-' if number % 5 else ''}{number % 900 + 1}.00",
        "currency": "EUR",
        "description": f"Card payment at shop {number % 200}",
        "counterparty": f"Shop {number % 200}",
        "reference": f"E2E-{number}",
    }


class Others:
    """Two people who write and read on: a colleague, and somebody of other books."""

    def __init__(self, served: Served, tokens: dict[str, str]) -> None:
        """Take a token of each."""
        self._served, self._ended = served, threading.Event()
        self.seconds: dict[str, list[float]] = {}
        self.failed = 0
        self._threads = [
            threading.Thread(target=self._work, args=(f"{who} {what}", token, what))
            for who, token in tokens.items()
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

    def _work(self, name: str, token: str, what: str) -> None:
        times = self.seconds[name] = []
        client = Client.with_token(self._served.port, token)
        while not self._ended.wait(PAUSE_SECONDS):
            if what == "write":
                body = json.dumps({"name": f"Project {time.time_ns()}"})
                answer = client.send("POST", "/api/projects", body, "application/json")
            else:
                answer = client.get(servers.HUB)
            times.append(answer.seconds)
            self.failed += answer.status >= REFUSED
        client.close()


def felt(served: Served, tokens: dict[str, str], name: str, act: Callable[[], None]) -> Figure:
    """Let others work during an act; return the worst of their p99 (S9)."""
    others = Others(served, tokens)
    with others.at_work():
        began = time.monotonic()
        act()
        seconds = time.monotonic() - began
        time.sleep(10 * PAUSE_SECONDS)
    p99 = {who: percentile(times, 0.99) for who, times in others.seconds.items() if times}
    worst = max(p99, key=lambda who: p99[who])
    return Figure(
        f"S9 others' p99, s: {name}",
        p99[worst],
        FELT_SECONDS,
        HOPED_SECONDS,
        p99[worst] <= FELT_SECONDS and not others.failed,
        note=f"{worst}, {sum(map(len, others.seconds.values()))} answers in {seconds:.1f} s, {others.failed} failed",
    )


class Heavy:
    """The heavy acts of one key, in an order in which they can be made."""

    def __init__(self, books: Books, served: Served, checkout: Path) -> None:
        """Take the books that are served."""
        self._books, self._checkout = books, checkout
        self._client = Client.with_token(served.port, books.token)
        effects = [{"kind": "SET_ACCOUNT", "accountId": _accounts(self._client)["Software"]}]
        # The texts of open lines have a number, those of history have none.
        self._rule = {"name": "Shops", "conditions": {"conditions": [{"value": "no"}]}, "effects": effects}
        self._run = 0

    def acts(self) -> Iterator[tuple[str, Callable[[], None]]]:
        """Name each act."""
        yield "nothing", lambda: time.sleep(QUIET_SECONDS)
        yield f"import of {self._books.lines:,}", self._import
        yield "rule preview", lambda: self._post("/api/automations/rules/preview", self._rule)
        yield "rule of a fortnight", self._apply
        yield "undo of that", lambda: self._post(f"/api/automations/runs/{self._run}/undo", {})
        yield "general ledger", lambda: self._get("/api/exports/report?report=general_ledger&format=csv")
        yield "balance sheet of all years", lambda: self._get("/api/reports/balance-sheet")
        yield "export as hledger", lambda: self._get("/api/exports/hledger")
        yield "backup", lambda: self._command("backup", str(self._backup))
        yield "check", lambda: self._command("check")

    @property
    def _backup(self) -> Path:
        return Path(self._books.folder) / "felt.zip"

    def _import(self) -> None:
        self._client.upload("/api/feeds/imports", "more.ofx", kept_books.ofx("more", self._books.lines))

    def _apply(self) -> None:
        rule = f"/api/automations/rules/{self._post('/api/automations/rules', self._rule)['rule']['id']}"
        digest = self._post(f"{rule}/preview?{FORTNIGHT}", {})["preview"]["digest"]
        self._post(f"{rule}/apply?{FORTNIGHT}", {"digest": digest})
        self._run = self._client.get("/api/automations/runs").json["runs"][0]["id"]

    def _post(self, path: str, body: object) -> Any:
        return self._client.json("POST", path, body).json

    def _get(self, path: str) -> None:
        answer = self._client.get(path)
        if answer.status >= REFUSED:
            raise SystemExit(f"{path}: {answer.status} {answer.body[:500]!r}")

    def _command(self, *words: str) -> None:
        servers.run(self._checkout, self._books.settings, *words)
        self._backup.unlink(missing_ok=True)


def operated(books: Books, checkout: Path) -> Iterator[Figure]:
    """Check the books, back them up, and restore them, with a check, into an empty database (S14)."""
    backup = Path(books.folder) / "backup.zip"

    def seconds_of(settings: dict[str, str], *words: str) -> float:
        began = time.monotonic()
        servers.run(checkout, settings, *words)
        return time.monotonic() - began

    yield at_most("S14 check, s", seconds_of(books.settings, "check"), CHECK_SECONDS)
    yield at_most("S14 backup, s", seconds_of(books.settings, "backup", str(backup)), BACKUP_SECONDS)
    with kept_books.nothing(books, f"restored_{os.getpid()}") as there:
        seconds = seconds_of(there.settings, "restore", str(backup)) + seconds_of(there.settings, "check")
        yield at_most("S14 restore and check, s", seconds, RESTORE_SECONDS)


def _accounts(client: Client) -> dict[str, int]:
    return {each["name"]: each["id"] for each in client.get("/api/accounts?limit=200").json["accounts"]}


def main(options: argparse.Namespace) -> bool:
    """Measure everything, print it and keep it as JSON; return whether all musts are met."""
    checkout = options.checkout
    books = kept_books.kept(options.books, options.engine, options.postings, options.lines)
    table = Table(options, "heavy", options.engine)
    if options.only in "S6 S7":
        table.show(*ingested(books, checkout))
    with kept_books.copied(books, checkout) as acts:
        if options.only in "S14":
            for figure in operated(acts, checkout):
                table.show(figure)
        other = kept_books.organization(checkout, acts.settings, "Harbour Bakery", "dan@example.com")[1]
        tokens = {"colleague's": acts.token, "stranger's": other}
        with servers.tieout(checkout, acts.settings) as served:
            for name, act in Heavy(acts, served, checkout).acts():
                if options.only in f"S9 {name}":
                    table.show(felt(served, tokens, name, act))
    return table.keep()


if __name__ == "__main__":
    sys.exit(not main(options_of("heavy", __doc__ or "").parse_args()))
