"""Measure whether a balance costs more the more history there is, and what posting pays for that.

    python -m benchmarks.balances [POSTINGS ...]

On each engine, books of 10 thousand, 100 thousand and 1 million postings over 12 bank accounts are asked the same
questions. Prints the best times in milliseconds, which other work on the machine disturbs least, the statements that
each question takes, and the ratio of the largest books to the smallest; then what confirming a line costs with the kept
sums and without. Ends with 1 where a bar is missed.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from benchmarks import histories
from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from webapp import queries
from webapp.db import begin_read, db

SIZES = (10_000, 100_000, 1_000_000)
REPEATS, BATCH, BATCHES = 100, 20, 4
MOST_GROWTH, MOST_POSTING = 1.5, 1.3
YEAR_BACK = histories.LAST - timedelta(days=365)

Question = Callable[[str, int], Any]
QUESTIONS: dict[str, Question] = {
    "hub": lambda organization, _: (
        queries.reconciliation.hub.accounts(organization),
        queries.transfers.watched.watched(organization),
    ),
    "hub as of a day": lambda organization, _: queries.reconciliation.hub.accounts(
        organization, as_of=YEAR_BACK
    ),
    "account as of a day": lambda organization, account: queries.accounts.accounts.record(
        queries.accounts.accounts.get(organization, account), as_of=YEAR_BACK
    ),
    "register, newest page": lambda organization, account: queries.reports.registers.page(
        queries.accounts.accounts.get(organization, account), limit=50
    ),
    "register, last page": lambda organization, account: queries.reports.registers.page(
        queries.accounts.accounts.get(organization, account),
        after=(histories.FIRST + timedelta(days=60), 0, 0),
        limit=50,
    ),
}


def main(sizes: tuple[int, ...]) -> bool:
    """Measure both engines; answers whether every bar is held."""
    logging.disable(logging.INFO)
    is_held = True
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("sqlite", "postgresql"):
            is_held &= _engine(kind, Path(folder) / kind, sizes)
    return is_held


def _engine(kind: str, folder: Path, sizes: tuple[int, ...]) -> bool:
    folder.mkdir()
    store = SqliteFiles(folder) if kind == "sqlite" else PostgresqlServer("benchmark", "balances")
    house = House(store, folder)
    try:
        found = {size: _measured(house, size) for size in sizes}
        cost = _posting_cost(house)
    finally:
        house.leave()
        if kind == "postgresql":
            store.close()
    print(f"\n{kind:<24}" + "".join(f"{size:>12,}" for size in sizes) + "   statements   ratio", flush=True)
    is_held = cost <= MOST_POSTING
    for name in QUESTIONS:
        times = [found[size][name][0] for size in sizes]
        counts = {found[size][name][1] for size in sizes}
        ratio = times[-1] / times[0]
        is_held &= ratio <= MOST_GROWTH and len(counts) == 1
        figures = "".join(f"{each:12.2f}" for each in times)
        print(f"{name:<24}{figures}   {'/'.join(map(str, sorted(counts))):>10}   {ratio:5.2f}", flush=True)
    print(f"confirming with the sums costs {cost:.2f} times what it costs without", flush=True)
    return is_held


def _measured(house: House, size: int) -> dict[str, tuple[float, int]]:
    """Give for each question its best time in milliseconds and its statements, on books of a size."""
    house.refresh()
    organization_id = house.people["ada"].organization_id
    begun = time.perf_counter()
    with house.app.app_context():
        account_id = histories.write(organization_id, size)[0]
        if db.engine.dialect.name == "postgresql":
            histories.vacuum(db.engine)
        print(
            f"{size:,} postings written in {time.perf_counter() - begun:.0f} s", file=sys.stderr, flush=True
        )
        return {name: _asked(each, organization_id, account_id) for name, each in QUESTIONS.items()}


def _asked(question: Question, organization_id: str, account_id: int) -> tuple[float, int]:
    times, counts = [], set()
    for _ in range(REPEATS):
        db.session.remove()
        begin_read()
        with _counting() as seen:
            begun = time.perf_counter()
            question(organization_id, account_id)
            times.append((time.perf_counter() - begun) * 1000)
        counts.add(len(seen))
    db.session.remove()
    return min(times), max(counts)


@contextmanager
def _counting() -> Iterator[list[str]]:
    seen: list[str] = []

    def listen(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        seen.append(statement)

    event.listen(db.engine, "before_cursor_execute", listen)
    try:
        yield seen
    finally:
        event.remove(db.engine, "before_cursor_execute", listen)


def _posting_cost(house: House) -> float:
    """Confirm batches of lines with the sums and without, in turn; answers the ratio of the lower quartiles."""
    ben = replace(house.people["ben"], app=house.app)
    bank = Bank(house.app, house.people["ada"])
    bank.open("Posting")
    count = BATCH * BATCHES * 2
    lines = bank.send_many([("2026-10-15", f"-{number}.00", "A line") for number in range(1, count + 1)])
    times: dict[bool, list[float]] = {True: [], False: []}
    _confirm(ben, lines[:BATCH])
    for at in range(BATCH, count, BATCH):
        is_kept = (at // BATCH) % 2 == 0
        with _kept(house, is_kept=is_kept):
            times[is_kept] += _confirm(ben, lines[at : at + BATCH])
    return quantiles(times[True])[0] / quantiles(times[False])[0]


def _confirm(person: Person, lines: list[int]) -> list[float]:
    times = []
    for line in lines:
        begun = time.perf_counter()
        person.post(f"/api/transactions/{line}/confirm")
        times.append(time.perf_counter() - begun)
    return times


@contextmanager
def _kept(house: House, *, is_kept: bool) -> Iterator[None]:
    """Take the trigger of the sums away for as long as it lasts, where they are not to be kept."""
    if is_kept:
        yield
        return
    name = "sums_of_posting"
    with house.app.app_context():
        is_sqlite = db.engine.dialect.name == "sqlite"
        off, on = (f"ALTER TABLE journal_entries {word} TRIGGER {name}" for word in ("DISABLE", "ENABLE"))
        if is_sqlite:
            on = db.session.execute(
                sa.text("SELECT sql FROM sqlite_master WHERE name = :name"), {"name": name}
            ).scalar_one()
            off = f"DROP TRIGGER {name}"
        _run(off)
    yield
    with house.app.app_context():
        _run(on)


def _run(statement: str) -> None:
    db.session.connection().exec_driver_sql(statement)
    db.session.commit()


if __name__ == "__main__":
    sys.exit(not main(tuple(int(each) for each in sys.argv[1:]) or SIZES))
