"""Measure the search for anything among many bank lines, and what the index of their words costs.

    python -m benchmarks.finding [LINES] [sqlite|postgresql]

Times are CPU milliseconds of a whole request of the palette, the best of a few; on PostgreSQL they are the clock's, for
its server works too. The size is that of the index of words alone.
"""

from __future__ import annotations

import logging
import sys
import tempfile
import time
from pathlib import Path

import sqlalchemy as sa

from benchmarks.workspaces import best, expect, person_with_lines
from tests.fixtures.stores import PostgresqlServer, SqliteFiles
from webapp.database.sessions import db

LINES = 100_000
GOAL, BYTES_GOAL = 100, 120
# A name, words of every line and of one, an amount, an act, nothing at all, and what nothing has.
TYPED = ("", "re", "card", "payment shop", "shop 12 no 1234", "12.05", "1187", "reconcile", "nowhere")
SIZES = {
    "sqlite": "SELECT sum(length(block)) FROM line_words_data",
    "postgresql": "SELECT pg_relation_size('ix_transactions_words')",
}


def measured(
    store: SqliteFiles | PostgresqlServer, engine: str, lines: int
) -> tuple[float, dict[str, float]]:
    """Give the bytes of the index a line, and the milliseconds of each search."""
    clock = time.process_time if engine == "sqlite" else time.perf_counter
    with person_with_lines(store, lines) as ada:
        with ada.app.app_context():
            size = db.session.execute(sa.text(SIZES[engine])).scalar_one()
        browser = ada.browser()

        def search(typed: str) -> None:
            answer = browser.htmx("GET", "/search", target="div#found", query_string={"q": typed})
            expect(answer.text, "found-list")

        times = {typed: best(lambda typed=typed: search(typed), clock) for typed in TYPED}
    return size / lines, times


def main(lines: int, engine: str) -> bool:
    """Measure and print; answers whether the bars are met."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        store = SqliteFiles(Path(folder)) if engine == "sqlite" else PostgresqlServer("finding", "benchmark")
        size, times = measured(store, engine, lines)
    for typed, milliseconds in times.items():
        print(f"{typed!r:<20} {milliseconds:6.0f} ms")
    print(f"{size:.0f} bytes a line. Promised are {GOAL} ms and {BYTES_GOAL} bytes at {LINES:,} lines.")
    return max(times.values()) <= GOAL and size <= BYTES_GOAL


if __name__ == "__main__":
    wanted = sys.argv[1:]
    sys.exit(0 if main(int(wanted[0]) if wanted else LINES, wanted[1] if wanted[1:] else "sqlite") else 1)
