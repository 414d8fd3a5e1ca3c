"""Measure how fast a feed is taken, beside a raw bulk insert of the same rows into the same tables (G1, G3).

    python -m benchmarks.ingest [LINES]

Pushes LINES bank lines over the API in batches of 1,000 to an organization on SQLite, then the same lines once more in
batches of other ids. Then copies every row that the first push wrote, of every table, into a fresh file of the same
schema by one executemany a table and batch, committed as often: with the triggers that keep the sums, and without any;
and the four rows of a line and its draft into bare tables with six indexes, the limit and no books.
Rates are of CPU seconds, for the machines at hand are shared; server and client are one process here.
"""

import json
import logging
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pysqlite3

from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import SqliteFiles

LINES = 20_000
BATCH = 1_000
OK = 200
TABLES = ("transactions", "journal_entries", "postings", "feed_lines")
BARE = {
    "transactions": (
        "organization_id, feed_account_id, provider_transaction_id",
        "organization_id, booked_on, id",
    ),
    "journal_entries": ("organization_id, effective_on, id",),
    "postings": (
        "organization_id, journal_entry_id, position",
        "organization_id, account_id, journal_entry_id",
        "organization_id, transaction_id",
    ),
}
FIRST_GOAL, AGAIN_GOAL = 0.25, 2.0


def main(lines: int) -> bool:
    """Measure and print the rates; answers whether both goals are met."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        fa_id = Bank(house.app, ada).open("Checking")
        database = house.app.config["SETTINGS"].database_url.removeprefix("sqlite:///")
        empty = _schema(database)
        first = pushed(ada, fa_id, lines, "first")
        again = pushed(ada, fa_id, lines, "again")
        raw = copied(database, empty, Path(folder) / "raw.db", lines, with_triggers=False)
        kept = copied(database, empty, Path(folder) / "kept.db", lines, with_triggers=True)
        bare = copied(database, _bare(database), Path(folder) / "bare.db", lines, tables=tuple(BARE))
        house.leave()
    print(f"bare tables          {bare:9,.0f} lines/s")
    print(f"raw bulk insert      {raw:9,.0f} lines/s")
    print(f"raw with kept sums   {kept:9,.0f} lines/s")
    print(
        f"push, all new        {first:9,.0f} lines/s   {first / bare:5.2f} x bare tables, {first / raw:.2f} x raw"
    )
    print(f"push, all known      {again:9,.0f} lines/s   {again / first:5.2f} x the first")
    print(f"Promised are {FIRST_GOAL} x bare tables (G1) and {AGAIN_GOAL} x the first (G3).")
    return first >= FIRST_GOAL * bare and again >= AGAIN_GOAL * first


def pushed(person: Person, fa_id: int, lines: int, name: str) -> float:
    """Push lines in batches, and give how many were taken in a second."""
    bodies = [
        json.dumps(
            {"batchId": f"{name}-{start}", "added": [_line(start + number) for number in range(BATCH)]}
        )
        for start in range(0, lines, BATCH)
    ]
    headers = {"Authorization": f"Bearer {person.token}", "Content-Type": "application/json"}
    path = f"/api/feeds/accounts/{fa_id}/transactions"
    client = person.app.test_client(use_cookies=False) if person.app else None
    begun = time.process_time()
    for body in bodies:
        answer = client.post(path, data=body, headers=headers)
        if answer.status_code != OK:
            raise SystemExit(answer.text)
    return lines / (time.process_time() - begun)


def _line(number: int) -> dict[str, object]:
    return {
        "providerTransactionId": f"transaction-{number:09}",
        "pending": False,
        "bookedOn": (date(2024, 11, 1) + timedelta(days=number % 730)).isoformat(),
        "amount": f"{'-' if number % 5 else ''}{number % 997 + 1}.{number % 100:02}",
        "currency": "EUR",
        "description": f"Card payment at merchant {number % 200}",
        "counterparty": f"Merchant {number % 200}",
        "reference": f"E2E-{number}",
    }


def _schema(database: str) -> list[tuple[str, str]]:
    with closing(pysqlite3.connect(database)) as connection:
        return connection.execute(
            "SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            " AND name NOT LIKE 'line_words_%'"
            " ORDER BY type = 'trigger', type = 'index'"
        ).fetchall()


def _bare(database: str) -> list[tuple[str, str]]:
    """Give tables of the same columns that hold nothing to any rule, with six indexes."""
    found = []
    with closing(pysqlite3.connect(database)) as connection:
        for table, indexes in BARE.items():
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            order = ", ".join("id INTEGER PRIMARY KEY" if column == "id" else column for column in columns)
            found.append(("table", f"CREATE TABLE {table} ({order})"))
            found += [
                ("index", f"CREATE INDEX {table}_{place} ON {table} ({index})")
                for place, index in enumerate(indexes)
            ]
    return found


def copied(
    database: str,
    schema: list[tuple[str, str]],
    target: Path,
    lines: int,
    *,
    tables: tuple[str, ...] = TABLES,
    with_triggers: bool = True,
) -> float:
    """Copy the rows of the first push into a fresh file, and give how many lines were written in a second."""
    with closing(pysqlite3.connect(database)) as source, closing(pysqlite3.connect(target)) as raw:
        raw.isolation_level = None
        for pragma in ("journal_mode=WAL", "synchronous=FULL"):
            raw.execute(f"PRAGMA {pragma}")
        for kind, statement in schema:
            if with_triggers or kind != "trigger":
                raw.execute(statement)
        rows = {table: source.execute(f"SELECT * FROM {table}").fetchall() for table in tables}  # noqa: S608
        begun = time.process_time()
        for batch in range(0, lines, BATCH):
            raw.execute("BEGIN IMMEDIATE")
            for table, all_rows in rows.items():
                share = len(all_rows) // lines
                part = all_rows[batch * share : (batch + BATCH) * share]
                places = ", ".join("?" * len(part[0]))
                raw.executemany(f"INSERT INTO {table} VALUES ({places})", part)  # noqa: S608
            raw.execute("COMMIT")
        return lines / (time.process_time() - begun)


if __name__ == "__main__":
    sys.exit(not main(int(sys.argv[1]) if len(sys.argv) > 1 else LINES))
