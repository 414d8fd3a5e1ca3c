"""Measure what people and programs wait for, each beside a greeting of plain Flask (S1 to S5, S8, S11 to S13).

    python -m benchmarks.served [--engine sqlite|postgresql] [--pooled] [--postings N] [--lines M]
        [--books DIR] [--checkout DIR] [--only WORD] [--seconds N]

README.md in this folder says what the columns are. Ends with 1 where a must is missed.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import threading
import time
from dataclasses import dataclass
from datetime import timedelta
from statistics import median
from typing import TYPE_CHECKING, Final

from benchmarks import books as kept_books
from benchmarks import histories, servers
from benchmarks.client import SERVER_ERROR, Answer, Client, accepted, percentile
from benchmarks.figures import Figure, Table, at_most, options_of

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from benchmarks.books import Books
    from benchmarks.servers import Served

SECONDS, LEAST, MOST = 4, 20, 400
GREETINGS, ASKED_IN_TURN = 20, 10
OPEN_LINES = 4_000
STARTS, CLIENTS = 3, 8
DAY = histories.LAST.replace(year=histories.LAST.year - 1)
MEBIBYTES, OF_WORKER, MORE_RATE, MORE_READS, SLOWEST = 220, 120, 1.4, 1.5, 8
STARTS_OF_A_GREETING, MORE_SECONDS = 4, 1
OF_SQLITE, OF_SQLITE_PAGES, OF_DIRECT = 5, 2.5, 1.3


class Stage:
    """Books that are served, a greeting at their side, and who asks of both."""

    def __init__(self, books: Books, served: Served, hello: Served) -> None:
        """Sign in, and find the open lines."""
        self.books, self.served = books, served
        self.api = Client.with_token(served.port, books.token)
        self.pages = Client.signed_in(served.port, kept_books.EMAIL, kept_books.PASSWORD)
        self.greeter = Client(hello.port)
        found = self._open_lines(books.many_fa_id)
        self.shown, self.open = found[:1], itertools.cycle(found[1:51])
        # Each is confirmed once, so that the acts share them out.
        self.count, self.waiting = len(found) - 51, iter(found[51:])
        self._others = itertools.cycle(self._open_lines(books.few_fa_id, most=50))
        self._numbers = itertools.count(time.time_ns())
        self._random = random.Random(20261101)  # noqa: S311  (the same choice each time)

    def _open_lines(self, fa_id: int, most: int = OPEN_LINES) -> list[int]:
        """List the newest lines of an account."""
        path, cursor, found = f"/api/transactions?faId={fa_id}&limit=200", "", []
        while cursor is not None and len(found) < most:
            page = accepted(self.api.get(path + cursor), "GET", path).json
            found += [each["id"] for each in page["transactions"]]
            cursor = f"&cursor={page['nextCursor']}" if page["nextCursor"] else None
        return found[:most]

    def write(self) -> None:
        """Change a line of another account, after which nothing that was read before may be answered unread."""
        body = {"description": f"Changed {next(self._numbers)}"}
        self.api.json("PATCH", f"/api/transactions/{next(self._others)}", body)

    def get(self, path: str) -> Answer:
        """Ask the API."""
        return self.api.get(path)

    def entry(self) -> Answer:
        """Ask for one of all entries."""
        return self.api.get(f"/api/journal-entries/{self._random.randint(1, self.books.entries)}")

    def page(self, path: str, part: str) -> Answer:
        """Open a page of the books in the browser."""
        return _showing(self.pages.get(self._of_books + path), part)

    def line(self) -> Answer:
        """Open a row in the browser."""
        (line,) = self.shown
        return _showing(self.pages.get(f"{self._workspace}&line={line}", self._htmx(line)), f"line-{line}")

    def edit(self) -> Answer:
        """Change the description of a row in the browser."""
        line, fields = next(self.open), {"description": f"Changed {next(self._numbers)}"}
        answer = self.pages.form(f"{self._of_books}/transactions/{line}", fields, self._htmx(line))
        return _showing(answer, f"line-{line}")

    def confirm_row(self) -> Answer:
        """Confirm a row in the browser."""
        line, fields = next(self.waiting), {"asUncategorised": "true"}
        answer = self.pages.form(f"{self._of_books}/transactions/{line}/confirm", fields, self._htmx(line))
        return _showing(answer, "hx-partial")

    def push(self) -> Answer:
        """Push one line."""
        number = next(self._numbers)
        line = {
            "providerTransactionId": f"served-{number}",
            "bookedOn": "2026-10-30",
            "amount": f"-{number % 100_000}.34",
            "currency": "EUR",
            "description": f"Card payment {number}",
        }
        path = f"/api/feeds/accounts/{self.books.few_fa_id}/transactions"
        return self.api.json("POST", path, {"batchId": f"one-{number}", "added": [line]})

    def confirm(self) -> Answer:
        """Confirm a line."""
        return self.api.json("POST", f"/api/transactions/{next(self.waiting)}/confirm")

    def greeting(self) -> float:
        """Ask for one greeting between other requests; return how long it took."""
        return self.greeter.get("/").seconds

    def short_greetings(self) -> list[float]:
        """Ask for greetings one after another, which takes less for each; return how long each took."""
        return [self.greeting() for _ in range(GREETINGS + 1)][1:]

    @property
    def _of_books(self) -> str:
        return f"/b/{self.books.organization_id}"

    @property
    def _workspace(self) -> str:
        return f"{self._of_books}/feeds/{self.books.many_fa_id}?show=all"

    def _htmx(self, line: int) -> dict[str, str]:
        address = f"http://127.0.0.1:{self.served.port}{self._workspace}"
        return {"HX-Request": "true", "HX-Target": f"tbody#line-{line}", "HX-Current-URL": address}


def _showing(answer: Answer, part: str) -> Answer:
    """Refuse to measure a wrong answer."""
    if part.encode() not in answer.text:
        raise SystemExit(f"An answer without {part}: {answer.status} {answer.text[:2000]!r}")
    return answer


@dataclass(frozen=True)
class Row:
    """What is asked, and how many greetings it may and should take; reads are asked cold, acts are writes themselves.

    `share` is how much of the open lines an act may use up.
    """

    goal: str
    name: str
    must: float
    hope: float
    ask: Callable[[Stage], Answer]
    is_act: bool = False
    share: float = 0.0

    @property
    def title(self) -> str:
        """Name it in the table."""
        return f"{self.goal} {self.name}"


PAGES: Final = "S4"
REPORTS: Final = "/api/reports"
HUB: Final = servers.HUB
ROWS: Final = (
    Row("S1", "journal entry", 5, 3, Stage.entry),
    Row("S1", "hub", 8, 4, lambda s: s.get(HUB)),
    Row("S1", "hub as of a day", 9, 5, lambda s: s.get(f"{HUB}?providerBalanceAsOf={DAY}")),
    Row("S2", "register page", 10, 5, lambda s: s.get(f"/api/accounts/{s.books.bank_id}/postings")),
    Row(
        "S2",
        "register, a page far down",
        10,
        5,
        lambda s: s.get(f"/api/accounts/{s.books.bank_id}/postings?to=2025-01-01"),
    ),
    Row("S2", "list of 50 lines", 12, 7, lambda s: s.get(f"/api/transactions?faId={s.books.many_fa_id}")),
    Row("S3", "trial balance", 10, 5, lambda s: s.get(f"{REPORTS}/trial-balance")),
    Row("S3", "balance sheet", 10, 5, lambda s: s.get(f"{REPORTS}/balance-sheet")),
    Row(
        "S3",
        "profit and loss of a year",
        10,
        5,
        lambda s: s.get(f"{REPORTS}/profit-and-loss?from=2025-01-01&to=2025-12-31"),
    ),
    Row("S3", "aged receivables", 10, 5, lambda s: s.get(f"{REPORTS}/aged-receivables")),
    Row(PAGES, "hub", 60, 30, lambda s: s.page("/", 'id="hub"')),
    Row(
        PAGES,
        "account, most of the lines",
        180,
        90,
        lambda s: s.page(f"/feeds/{s.books.many_fa_id}?show=all", 'id="lines"'),
    ),
    Row(
        PAGES,
        "account, a fifth of the lines",
        180,
        90,
        lambda s: s.page(f"/feeds/{s.books.few_fa_id}?show=all", 'id="lines"'),
    ),
    # A greeting of these takes about a millisecond.
    Row(PAGES, "month end", 300, 150, lambda s: s.page("/month-end", 'id="month_end"')),
    Row(PAGES, "a line's partial", 40, 20, Stage.line),
    Row(PAGES, "edit of a row", 80, 40, Stage.edit, is_act=True),
    Row(PAGES, "confirm of a row", 80, 40, Stage.confirm_row, is_act=True, share=0.1),
    Row("S5", "push of one line", 20, 10, Stage.push, is_act=True),
    Row("S5", "confirm of one", 14, 7, Stage.confirm, is_act=True, share=0.2),
)


def measured(row: Row, stage: Stage, seconds: float) -> Figure:
    """Ask for a row and for greetings in turn: one before each request, and for pages short ones now and then."""
    most = min(MOST, int(stage.count * row.share)) if row.share else MOST
    is_page = row.goal == PAGES
    hellos: list[float] = []
    times: list[float] = []
    computed, deadline = 0.0, time.monotonic() + seconds
    while len(times) < most and (len(times) < LEAST or time.monotonic() < deadline):
        hellos += stage.short_greetings() if is_page else []
        for _ in range(min(ASKED_IN_TURN, most - len(times))):
            if not row.is_act:
                stage.write()
            hellos += [] if is_page else [stage.greeting()]
            before = stage.served.processor.read()
            times.append(accepted(row.ask(stage), "", row.title).seconds)
            computed += stage.served.processor.seconds_since(before)
    hello, p50 = median(hellos), median(times)
    ratio = p50 / hello
    return Figure(
        row.title,
        ratio,
        row.must,
        row.hope,
        ratio <= row.must,
        hello=1000 * hello,
        p50=1000 * p50,
        p99=1000 * percentile(times, 0.99),
        cpu=1000 * computed / len(times),
        asked=len(times),
    )


def at_once(
    port: int, token: str, clients: int, requests: Iterator[tuple[str, str]]
) -> tuple[float, list[float], int]:
    """Let clients send requests until there are none left; return the rate, all times, and how many failed."""
    taking, times, failed = threading.Lock(), [], []

    def work() -> None:
        client = Client.with_token(port, token)
        while True:
            with taking:
                request = next(requests, None)
            if request is None:
                client.close()
                return
            method, path = request
            answer = client.send(method, path, "{}" if method == "POST" else None, "application/json")
            times.append(answer.seconds)
            failed.extend([answer.status] if answer.status >= SERVER_ERROR else [])

    threads = [threading.Thread(target=work) for _ in range(clients)]
    began = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(times) / (time.monotonic() - began), times, len(failed)


def crowd(stage: Stage) -> Figure:
    """Let one client confirm lines, and then eight (S8)."""

    def confirmations(count: int) -> Iterator[tuple[str, str]]:
        return (
            ("POST", f"/api/transactions/{each}/confirm") for each in itertools.islice(stage.waiting, count)
        )

    port, token = stage.served.port, stage.books.token
    alone, _, _ = at_once(port, token, 1, confirmations(stage.count // 10))
    together, times, failed = at_once(port, token, CLIENTS, confirmations(stage.count // 3))
    p50, p99 = median(times), percentile(times, 0.99)
    return Figure(
        "S8 eight clients confirm, rate of one's",
        together / alone,
        MORE_RATE,
        MORE_RATE,
        together >= MORE_RATE * alone and not failed and p99 <= SLOWEST * p50,
        p50=1000 * p50,
        p99=1000 * p99,
        asked=len(times),
        note=f"{together:.0f}/s beside {alone:.0f}/s, p99 {p99 / p50:.1f} x p50, {failed} failed",
    )


def starts(books: Books, checkout: Path) -> Figure:
    """Start the server and a greeting a few times, until each answers first (S12)."""
    own, greeting = [], []
    for _ in range(STARTS):
        with servers.tieout(checkout, books.settings, books.token) as served:
            own.append(served.seconds)
        with servers.hello() as served:
            greeting.append(served.seconds)
    must = STARTS_OF_A_GREETING * median(greeting) + MORE_SECONDS
    return at_most(
        "S12 start to first hub, s", median(own), must, must, f"a greeting's {median(greeting):.2f} s"
    )


def processes(books: Books, checkout: Path, seconds: float) -> Figure:
    """Let eight clients read from one process, and then from two (S13); no two of their questions are equal."""
    rates = []
    for count in (1, 2):
        settings = {**books.settings, "WEB_CONCURRENCY": str(count)}
        with servers.tieout(checkout, settings, books.token) as served:
            at_once(served.port, books.token, CLIENTS, unequal(books, 1))
            rates.append(at_once(served.port, books.token, CLIENTS, unequal(books, seconds))[0])
    ratio = rates[1] / rates[0]
    return Figure(
        "S13 two processes read, rate of one's",
        ratio,
        MORE_READS,
        MORE_READS,
        ratio >= MORE_READS,
        note=f"{rates[1]:.0f}/s beside {rates[0]:.0f}/s",
    )


def unequal(books: Books, seconds: float) -> Iterator[tuple[str, str]]:
    """Give reads for so long, hardly any of them twice."""
    chosen = random.Random(20261101)  # noqa: S311  (the same choice each time)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        day = histories.FIRST + timedelta(days=chosen.randrange(histories.DAYS))
        yield "GET", f"/api/journal-entries/{chosen.randint(1, books.entries)}"
        yield "GET", f"/api/accounts/{books.bank_id}/postings?to={day}"
        yield "GET", f"/api/journal-entries/{chosen.randint(1, books.entries)}"
        yield "GET", f"{REPORTS}/trial-balance?to={day}"


def compared(table: Table, name: str, other: str, musts: tuple[float, float]) -> None:
    """Compare how many greetings each row took with those of another run; the second must is of pages (S11)."""
    there = table.ratios_of(other)
    for each in list(table.figures):
        if each.hello and each.title in there:
            must = musts[each.title.startswith(PAGES)]
            table.show(at_most(f"{name} {each.title}", each.ratio / there[each.title], must))


def main(options: argparse.Namespace) -> bool:
    """Measure every row, print it and keep it as JSON; return whether all musts are met."""
    books = kept_books.kept(options.books, options.engine, options.postings, options.lines)
    table = Table(options, "served", f"{options.engine}{'-pooled' if options.pooled else ''}")
    with contextlib.ExitStack() as stack:
        acts = stack.enter_context(kept_books.copied(books, options.checkout))
        if options.pooled:
            acts = acts.reached(stack.enter_context(servers.pooled(acts.database_url)))
        with servers.hello() as hello, servers.tieout(options.checkout, acts.settings, acts.token) as served:
            stage = Stage(acts, served, hello)
            for row in ROWS:
                if options.only in row.title:
                    table.show(measured(row, stage, options.seconds))
            if not options.only:
                table.show(crowd(stage))
                server, worker = served.mebibytes
                table.show(
                    at_most("S12 memory, MiB", server, MEBIBYTES, MEBIBYTES),
                    at_most("S12 memory of the worker, MiB", worker, OF_WORKER, OF_WORKER),
                )
        if not options.only:
            table.show(starts(acts, options.checkout), processes(acts, options.checkout, options.seconds))
    if options.engine == kept_books.POSTGRESQL:
        compared(table, "S11", "served-sqlite", (OF_SQLITE, OF_SQLITE_PAGES))
    if options.pooled:
        compared(table, "of direct", "served-postgresql", (OF_DIRECT, OF_DIRECT))
    return table.keep()


if __name__ == "__main__":
    parser = options_of("served", __doc__ or "")
    parser.add_argument("--pooled", action="store_true", help="reach PostgreSQL through PgBouncer")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long each row is asked for")
    sys.exit(not main(parser.parse_args()))
