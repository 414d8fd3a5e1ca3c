"""Measure the workspace of a bank account of many lines: its page, one line of it, and acts on a line.

    python -m benchmarks.workspaces [LINES] [sqlite|postgresql] [alike]

The lines are drafts of one import, over two years or all `alike` (one day, one amount, one text), with an open
reconciliation. Times are CPU milliseconds of a whole request, the best of a few, beside those in an account of 226
lines; on PostgreSQL they are the clock's, for its server works too.
"""

from __future__ import annotations

import argparse
import io
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks.imports import Facts, alike, facts, ofx
from tests.fixtures.houses import House
from tests.fixtures.people import Pages, Person
from tests.fixtures.stores import PostgresqlServer, SqliteFiles

LINES, FEW = 100_000, 226
PAGE_GOAL, LINE_GOAL = 150, 40
ROUNDS = 5
OK = 200


def measured(store: SqliteFiles | PostgresqlServer, lines: int, of: Facts = facts) -> dict[str, float]:
    """Give the milliseconds of each request to an account of so many lines."""
    clock = time.process_time if isinstance(store, SqliteFiles) else time.perf_counter
    with person_with_lines(store, lines, of) as ada:
        fa_id = ada.get("/api/reconciliations/accounts").json["accounts"][0]["faId"]
        ada.put(
            f"/api/reconciliations/accounts/{fa_id}/draft",
            json={"statementDate": "2024-01-31", "statementBalance": "1.00"},
        )
        newest = [each["id"] for each in ada.get("/api/transactions?limit=20").json["transactions"]]
        return {name: best(act, clock) for name, act in requests(ada.browser(), fa_id, newest).items()}


@contextmanager
def person_with_lines(
    store: SqliteFiles | PostgresqlServer, lines: int, of: Facts = facts
) -> Iterator[Person]:
    """Make books with an account of so many imported lines; gives a member of them."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(store, Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        answer = ada.post("/api/feeds/imports", data={"file": (io.BytesIO(ofx(lines, of)), "long.ofx")})
        expect(answer.text, '"IMPORTED"')
        yield ada
        house.leave()


def requests(pages: Pages, fa_id: int, lines: list[int]) -> dict[str, Callable[[], None]]:
    """The requests to measure, by their names; those that change something take another line each time."""
    first, others = lines[0], iter(lines[1:])

    def line() -> None:
        answer = pages.htmx("GET", f"/feeds/{fa_id}?line={first}&show=all", target=f"tbody#line-{first}")
        expect(answer.text, f"line-{first}")

    def edit() -> None:
        post(pages, f"/transactions/{next(others)}", fa_id, {"description": f"Changed {time.time_ns()}"})

    def confirm() -> None:
        post(pages, f"/transactions/{next(others)}/confirm", fa_id, {"asUncategorised": "true"})

    def page() -> None:
        expect(pages.get(f"/feeds/{fa_id}?show=all").text, f"line-{first}")

    def statement() -> None:
        expect(pages.get(f"/feeds/{fa_id}?show=statement").text, 'id="lines"')

    def hub() -> None:
        expect(pages.get("/").text, 'id="hub"')

    return {"hub": hub, "page": page, "statement": statement, "line": line, "edit": edit, "confirm": confirm}


def post(pages: Pages, path: str, fa_id: int, data: dict[str, str]) -> None:
    """Send an act on a line as its row does."""
    address = f"http://localhost/feeds/{fa_id}?show=all"
    answer = pages.htmx("POST", path, target="x", data=data, headers={"HX-Current-URL": address})
    if answer.status_code != OK:
        raise SystemExit(f"Refused with {answer.status_code}: {path}")
    expect(answer.text, "hx-partial")


def expect(text: str, part: str) -> None:
    """Refuse to measure a wrong answer."""
    if part not in text:
        raise SystemExit(f"An answer without {part}: {text[:2000]}")


def best(act: Callable[[], None], clock: Callable[[], float]) -> float:
    """Do something a few times; gives the shortest time in milliseconds."""
    times = []
    for _ in range(ROUNDS):
        begun = clock()
        act()
        times.append(clock() - begun)
    return 1000 * min(times)


def store_of(engine: str, folder: Path) -> SqliteFiles | PostgresqlServer:
    """Make a store of test databases on an engine."""
    return SqliteFiles(folder) if engine == "sqlite" else PostgresqlServer("spaces", "benchmark")


def main(lines: int, engine: str, of: Facts) -> bool:
    """Measure and print; answers whether the bars are met."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        # A store of its own for each, since one renews the first books that it has made.
        few, many = (measured(store_of(engine, Path(folder)), each, of) for each in (FEW, lines))
    for name, milliseconds in many.items():
        ratio = milliseconds / few[name]
        print(f"{name:<10} {few[name]:7.0f} ms   {lines:,} lines {milliseconds:7.0f} ms   {ratio:5.1f} x")
    print(f"Promised are {PAGE_GOAL} ms for a page and {LINE_GOAL} ms for a line.")
    return many["page"] <= PAGE_GOAL and many["line"] <= LINE_GOAL


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.workspaces")
    parser.add_argument("lines", type=int, nargs="?", default=LINES)
    parser.add_argument("engine", nargs="?", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("distribution", nargs="?", default="even", choices=["even", "alike"])
    asked = parser.parse_args()
    sys.exit(not main(asked.lines, asked.engine, alike if asked.distribution == "alike" else facts))
