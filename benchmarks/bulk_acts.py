"""Measure what confirming costs the writer: CPU and statements a line, for lines one by one and many in one act.

    python -m benchmarks.bulk_acts [POSTINGS] [sqlite|postgresql] [--statements]

Beside a history of so many postings 50 and 120 drafts are confirmed by one request each, and 100 by a request of their
own. Prints the CPU of this process, the time and the statements a line; with `--statements` also how often each
statement ran and who asked it.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks import histories
from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from webapp.database.postgresql import analyze
from webapp.database.sessions import db

POSTINGS = 100_000
TOGETHER, ALONE = (50, 120), 100
MOST_LISTED, LONGEST_WORDS = 40, 110


@contextmanager
def counted(house: House, *, callers: bool) -> Iterator[Counter[str]]:
    """Count the statements that run within the block, with `callers` by who asked."""
    counts: Counter[str] = Counter()

    def count(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        counts[" ".join(statement.split())[:LONGEST_WORDS] + (f"  <- {caller()}" if callers else "")] += 1

    with house.app.app_context():
        engine = db.engine
    sa.event.listen(engine, "before_cursor_execute", count)
    try:
        yield counts
    finally:
        sa.event.remove(engine, "before_cursor_execute", count)


def caller() -> str:
    """Give the innermost two functions of ours that asked."""
    ours = [each for each in traceback.extract_stack() if "/webapp/" in each.filename]
    return " < ".join(f"{Path(each.filename).stem}.{each.name}" for each in reversed(ours[-2:]))


def confirmed(house: House, person: Person, ids: list[int], *, together: bool, lists: bool) -> str:
    """Confirm lines, by one request or by one each, and write what a line cost."""

    def confirm() -> None:
        if together:
            answer = person.post("/api/transactions/confirm", json={"ids": ids})
            done = [each["changed"] for each in answer.json["results"]]
        else:
            done = [person.post(f"/api/transactions/{each}/confirm").json["changed"] for each in ids]
        if not all(done):
            raise SystemExit(f"{done.count(True)} of {len(ids)} lines were confirmed.")

    with counted(house, callers=lists) as counts:
        began, cpu_began = time.perf_counter(), time.process_time()
        confirm()
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu_began
    if lists:
        for statement, count in counts.most_common(MOST_LISTED):
            print(f"  {count / len(ids):6.2f}  {statement}", flush=True)
    name = "in one act" if together else "one by one"
    cost = [f"{1000 * each / len(ids):6.2f} ms" for each in (cpu, seconds)]
    statements = sum(counts.values()) / len(ids)
    return f"{len(ids):4} {name}: {cost[0]} of CPU, {cost[1]} and {statements:5.1f} statements a line"


def main(postings: int, engine: str, *, lists: bool) -> None:
    """Measure, and print a row for each way."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        store = SqliteFiles(folder) if engine == "sqlite" else PostgresqlServer("bulk", "benchmark")
        house = House(store, folder)
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        with house.app.app_context():
            histories.write(ada.organization_id, postings)
            analyze(db.session.connection())
            db.session.commit()
        bank = Bank(house.app, ada)
        for count in (*TOGETHER, ALONE):
            ids = bank.send_many([("2026-10-02", f"-{1 + n % 90}.05", f"Line {n}") for n in range(count)])
            print(confirmed(house, ada, ids, together=count != ALONE, lists=lists), flush=True)
        house.leave()


if __name__ == "__main__":
    asked = [each for each in sys.argv[1:] if each != "--statements"]
    main(
        int(asked[0]) if asked else POSTINGS,
        asked[1] if asked[1:] else "sqlite",
        lists="--statements" in sys.argv,
    )
