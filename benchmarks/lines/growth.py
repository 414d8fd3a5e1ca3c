"""Find what grows faster than its lines: books of lines that are all alike, and the same with eight times as many.

    python -m benchmarks.lines.growth [LINES] [sqlite|postgresql] [--only WORD]

Each of two bank accounts has so many drafts of one day, one amount and one text; those of the second are the other side
of the first's. An eighth as many invoices of that amount are owed by one merchant. Every request is asked of both
books. Times are milliseconds, on SQLite of CPU, on PostgreSQL of the clock, since its server works too; `growth` is the
power of the number of lines by which they grow: 0 where they do not, 1 where as the lines do. Ends with 1 where one
grows faster than n log n.
"""

from __future__ import annotations

import argparse
import io
import logging
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.imports import FIRST, ofx
from benchmarks.workspaces import store_of
from tests.fixtures.houses import House
from tests.fixtures.people import Pages, Person

if TYPE_CHECKING:
    from werkzeug.test import TestResponse

LINES, TIMES = 2_500, 8
ROUNDS = 3
DAY, AMOUNT, TEXT = FIRST.isoformat(), "12.05", "Card payment Shop"
# What grows as n log n, between these two sizes, and what the noise of a busy machine adds to it.
MOST_GROWTH = 1 + math.log(math.log(LINES * TIMES) / math.log(LINES)) / math.log(TIMES) + 0.15
# Below this a request that grows is not told from one that does not.
LEAST_MILLISECONDS = 20
OK = 300


@dataclass
class Books:
    """Books of lines that are all alike, and who asks of them: as a program, and in a browser."""

    ada: Person
    pages: Pages
    lines: int
    fa_id: int
    expense: int
    merchant: int
    drafts: Iterator[int]

    def draft(self) -> str:
        """Name a draft that no request has had yet."""
        return f"/api/transactions/{next(self.drafts)}"

    def own(self) -> list[int]:
        """Give as many lines as one request may name."""
        return [next(self.drafts) for _ in range(100)]


@dataclass(frozen=True)
class Request:
    """A request by its name."""

    name: str
    ask: Callable[[Books], TestResponse]


def rule(books: Books) -> dict[str, Any]:
    """Give a rule that matches every line."""
    effects = [{"kind": "SET_ACCOUNT", "accountId": books.expense}]
    return {"name": "Shops", "conditions": {"conditions": [{"value": "shop"}]}, "effects": effects}


REQUESTS = (
    Request("import of the same file", lambda books: sent(books.ada, books.lines, "one", "-")),
    Request("hub", lambda books: books.pages.get("/")),
    Request("workspace", lambda books: books.pages.get(f"/feeds/{books.fa_id}?show=all")),
    Request("workspace, found by a word", lambda books: books.pages.get(f"/feeds/{books.fa_id}?q=shop")),
    Request("list", lambda books: books.ada.get(f"/api/transactions?faId={books.fa_id}")),
    Request("list, found by a word", lambda books: books.ada.get("/api/transactions?q=shop")),
    Request("line", lambda books: books.ada.get(books.draft())),
    Request("line, what it may pay", lambda books: books.ada.get(f"{books.draft()}/payments")),
    Request("line, its documents", lambda books: books.ada.get(f"{books.draft()}/documents")),
    Request("line, suggestions", lambda books: books.ada.get(f"{books.draft()}/suggestions")),
    Request("edit", lambda books: books.ada.patch(books.draft(), json={"accountId": books.expense})),
    Request("confirm", lambda books: books.ada.post(f"{books.draft()}/confirm")),
    Request(
        "confirm 100", lambda books: books.ada.post("/api/transactions/confirm", json={"ids": books.own()})
    ),
    Request("transfers", lambda books: books.ada.get("/api/transfers")),
    Request("open items of accounts", lambda books: books.ada.get("/api/open-items")),
    Request("owed", lambda books: books.pages.get("/owed")),
    Request("items", lambda books: books.ada.get("/api/items")),
    Request("statement", lambda books: books.pages.get(f"/owed/statement?orgMerchantId={books.merchant}")),
    Request("suggested rules", lambda books: books.ada.get("/api/automations/suggestions")),
    Request("rule preview", lambda books: books.ada.post("/api/automations/rules/preview", json=rule(books))),
    Request("trial balance", lambda books: books.ada.get("/api/reports/trial-balance")),
    Request("balance sheet", lambda books: books.ada.get("/api/reports/balance-sheet")),
    Request("general ledger", lambda books: books.ada.get("/api/reports/general-ledger")),
    Request("register", lambda books: books.ada.get(f"/api/accounts/{books.expense}/postings")),
    Request("journal", lambda books: books.pages.get("/journal")),
    Request("search", lambda books: books.pages.get("/search?q=shop")),
)


def ok(answer: TestResponse) -> Any:
    """Give what was answered; refuses to measure a mistake."""
    if answer.status_code >= OK:
        raise SystemExit(f"{answer.request.path}: {answer.status} {answer.text[:2000]}")
    return answer.json


def sent(ada: Person, lines: int, number: str, sign: str) -> TestResponse:
    """Import lines that are all alike into the account of a number."""

    def alike(count: int) -> Iterator[tuple[int, str, str, str]]:
        return ((each, DAY, sign + AMOUNT, TEXT) for each in range(count))

    data = ofx(lines, alike).replace(b"4711", number.encode())
    return ada.post("/api/feeds/imports", data={"file": (io.BytesIO(data), f"{number}.ofx")})


@contextmanager
def made(engine: str, lines: int) -> Iterator[Books]:
    """Make books of so many lines in each of two accounts."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(store_of(engine, Path(folder)), Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        for number, sign in (("one", "-"), ("two", "")):
            ok(sent(ada, lines, number, sign))
        accounts = {each["name"]: each["id"] for each in ok(ada.get("/api/accounts?limit=200"))["accounts"]}
        merchant = ok(ada.post("/api/merchants", json={"name": "Shop"}))["merchant"]["id"]
        for _ in range(lines // TIMES):
            owed = {"accountId": accounts["Trade receivables"], "amount": AMOUNT, "orgMerchantId": merchant}
            sold = {"accountId": accounts["Sales of services"], "amount": f"-{AMOUNT}"}
            body = {"effectiveAt": DAY, "description": "Invoice", "postings": [owed, sold], "post": True}
            ok(ada.post("/api/journal-entries", json=body))
        fa_id = ok(ada.get("/api/reconciliations/accounts"))["accounts"][0]["faId"]
        yield Books(ada, ada.browser(), lines, fa_id, accounts["Software"], merchant, drafts(ada, fa_id))
        house.leave()


def drafts(ada: Person, fa_id: int) -> Iterator[int]:
    """Give the lines of an account one after another."""
    path = f"/api/transactions?faId={fa_id}&limit=200"
    cursor = ""
    while cursor is not None:
        page = ok(ada.get(f"{path}&cursor={cursor}" if cursor else path))
        yield from [each["id"] for each in page["transactions"]]
        cursor = page["nextCursor"]


def best(request: Request, books: Books, clock: Callable[[], float]) -> float:
    """Ask a few times; gives the shortest time in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        began = clock()
        answer = request.ask(books)
        times.append(clock() - began)
        ok(answer)
    return 1000 * min(times)


def main(lines: int, engine: str, only: str) -> bool:
    """Measure and print; answers whether nothing grows faster than n log n."""
    logging.disable(logging.INFO)
    clock = time.process_time if engine == "sqlite" else time.perf_counter
    asked = [each for each in REQUESTS if only in each.name]
    times = []
    for size in (lines, lines * TIMES):
        with made(engine, size) as books:
            times.append([best(each, books, clock) for each in asked])
    is_held = True
    print(f"{'':<30}{lines:>10,}{lines * TIMES:>10,}{'growth':>9}")
    for request, few, many in zip(asked, *times, strict=True):
        growth = math.log(many / few) / math.log(TIMES)
        is_worse = growth > MOST_GROWTH and many > LEAST_MILLISECONDS
        is_held &= not is_worse
        print(
            f"{request.name:<30}{few:10.1f}{many:10.1f}{growth:9.2f}{'  FASTER THAN N LOG N' if is_worse else ''}"
        )
    return is_held


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.lines.growth")
    parser.add_argument("lines", type=int, nargs="?", default=LINES)
    parser.add_argument("engine", nargs="?", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("--only", default="", help="ask the requests with this word in their name")
    sys.exit(not main(**vars(parser.parse_args())))
