"""Measure what the first visitors after a large import wait on PostgreSQL, whose planner must learn of the new lines.

    python -m benchmarks.after_imports [LINES]

Prints lists and reports in milliseconds: the best of some before the import, the first after it, the best of some, and
the best after a full ANALYZE. Autovacuum is off, so that statistics come from the import itself. Ends with 1 where a
first answer takes longer than twice the best one with full statistics.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import sqlalchemy as sa

from benchmarks.imports import csv, served, upload
from tests.concurrency.crowds import Client
from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.stores import PostgresqlServer

LINES, REPEATS = 100_000, 5
MOST = 2.0
PATHS = (
    "/api/reconciliations/accounts",
    "/api/transactions?limit=50",
    "/api/transactions?faId=1&limit=50",
    "/api/reports/trial-balance?to=2026-12-31",
    "/api/journal-entries?limit=50",
)


def main(count: int) -> bool:
    """Measure, and answer whether every bar is held."""
    store = PostgresqlServer("imports", "after")
    try:
        with tempfile.TemporaryDirectory() as text:
            return _measure(store, Path(text), count)
    finally:
        store.close()


def _measure(store: PostgresqlServer, folder: Path, count: int) -> bool:
    house = House(store, folder)
    house.refresh()
    ada = house.people["ada"]
    Bank(house.app, ada).send_many([("2026-03-02", "-1.00", f"Line {number}") for number in range(400)])
    engine = sa.create_engine(house.settings.database_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        for table in ("transactions", "journal_entries", "postings", "import_lines"):
            connection.exec_driver_sql(f"ALTER TABLE {table} SET (autovacuum_enabled = off)")
        connection.exec_driver_sql("ANALYZE")
    with served(house) as server:
        client = Client(server.address, ada.token)
        before = {path: _best(client, path) for path in PATHS}
        begun = time.perf_counter()
        added = upload(server.address, ada, "csv", csv(count))
        print(f"{added:,} lines imported in {time.perf_counter() - begun:.1f} s", flush=True)
        first = {path: _seconds(client, path) for path in PATHS}
        after = {path: _best(client, path) for path in PATHS}
        with engine.connect() as connection:
            connection.exec_driver_sql("VACUUM ANALYZE")
        full = {path: _best(client, path) for path in PATHS}
        client.close()
    engine.dispose()
    print(f"{'':<44}{'before':>10}{'first':>10}{'after':>10}{'analyzed':>10}   first to analyzed")
    for path in PATHS:
        figures = "".join(f"{each[path] * 1000:10.1f}" for each in (before, first, after, full))
        print(f"{path:<44}{figures}   {first[path] / full[path]:5.2f}", flush=True)
    return all(first[path] <= MOST * full[path] for path in PATHS)


def _best(client: Client, path: str) -> float:
    return min(_seconds(client, path) for _ in range(REPEATS))


def _seconds(client: Client, path: str) -> float:
    answer = client.send("GET", path)
    if answer.status != 200:  # noqa: PLR2004  (an answer)
        raise SystemExit(f"{path} answers {answer.status}: {answer.body}")
    return answer.seconds


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if sys.argv[1:] else LINES))
