"""Measure how fast a feed is taken, beside a raw bulk insert of the same rows into the same tables (G1, G3).

    python -m benchmarks.ingest [LINES] [--rules RULES] [--days DAYS]

Pushes LINES bank lines of 900 different amounts, booked on so many days, over the API in batches of 1,000 to an
organization on SQLite that has so many rules, each of which matches some; then the same lines once more in batches of
other ids. Then copies every row that the first push wrote, of every table, into a fresh file of the same
schema by one executemany a table and batch, committed as often: with the triggers that keep the sums, and without any;
and the four rows of a line and its draft into bare tables with six indexes, the limit and no books.
Rates are of CPU seconds, for the machines at hand are shared; server and client are one process here.
"""

import argparse
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

LINES, RULES, DAYS = 20_000, 50, 730
BATCH = 1_000
OK, CREATED = 200, 201
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


def main(lines: int, rules: int, days: int) -> bool:
    """Measure and print the rates; answers whether both goals are met."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        bank = Bank(house.app, ada)
        fa_id = bank.open("Checking")
        make_rules(ada, bank, "merchant", rules)
        database = house.app.config["SETTINGS"].database_url.removeprefix("sqlite:///")
        empty = _schema(database)
        first = pushed(ada, fa_id, lines, "first", days)
        again = pushed(ada, fa_id, lines, "again", days)
        raw = copied(database, empty, Path(folder) / "raw.db", lines, with_triggers=False)
        kept = copied(database, empty, Path(folder) / "kept.db", lines, with_triggers=True)
        bare = copied(database, _bare(database), Path(folder) / "bare.db", lines, tables=tuple(BARE))
        house.leave()
    print(f"{lines:,} lines on {days} days, {rules} rules")
    print(f"bare tables          {bare:9,.0f} lines/s")
    print(f"raw bulk insert      {raw:9,.0f} lines/s")
    print(f"raw with kept sums   {kept:9,.0f} lines/s")
    print(
        f"push, all new        {first:9,.0f} lines/s   {first / bare:5.2f} x bare tables, {first / raw:.2f} x raw"
    )
    print(f"push, all known      {again:9,.0f} lines/s   {again / first:5.2f} x the first")
    print(f"Promised are {FIRST_GOAL} x bare tables (G1) and {AGAIN_GOAL} x the first (G3).")
    return first >= FIRST_GOAL * bare and again >= AGAIN_GOAL * first


def make_rules(person: Person, bank: Bank, word: str, rules: int) -> None:
    """Make so many rules; each gives lines whose text has the word, and a number below 200, account and merchant."""
    account, merchant = bank.account("Shopping"), bank.merchant("Shop")
    effects = [
        {"kind": "SET_ACCOUNT", "accountId": account},
        {"kind": "SET_MERCHANT", "orgMerchantId": merchant},
    ]
    for number in range(rules):
        text = f"{word} {number * 200 // rules}"
        body = {"name": text, "conditions": {"conditions": [{"value": text}]}, "effects": effects}
        answer = person.post("/api/automations/rules", json=body)
        if answer.status_code != CREATED:
            raise SystemExit(answer.text)


def pushed(person: Person, fa_id: int, lines: int, name: str, days: int = DAYS) -> float:
    """Push lines in batches, and give how many were taken in a second."""
    bodies = [
        json.dumps(
            {"batchId": f"{name}-{start}", "added": [_line(start + number, days) for number in range(BATCH)]}
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


def _line(number: int, days: int) -> dict[str, object]:
    return {
        "providerTransactionId": f"transaction-{number:09}",
        "pending": False,
        "bookedOn": (date(2024, 11, 1) + timedelta(days=number % days)).isoformat(),
        "amount": f"{'-' if number % 5 else ''}{number % 900 + 1}.00",
        "currency": "EUR",
        "description": f"Card payment at merchant {number % 200}",
        "counterparty": f"Merchant {number % 200}",
        "reference": f"E2E-{number}",
    }


def _schema(database: str) -> list[tuple[str, str]]:
    with closing(pysqlite3.connect(database)) as connection:
        return connection.execute(
            "SELECT type, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'"
            " AND name NOT LIKE 'line_words_%' AND name NOT LIKE 'document_texts_%'"
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
        columns = {
            table: ", ".join(row[1] for row in source.execute(f"PRAGMA table_info({table})"))
            for table in tables
        }
        rows = {
            table: source.execute(f"SELECT {names} FROM {table}").fetchall()  # noqa: S608
            for table, names in columns.items()
        }
        begun = time.process_time()
        for batch in range(0, lines, BATCH):
            raw.execute("BEGIN IMMEDIATE")
            for table, all_rows in rows.items():
                share = len(all_rows) // lines
                part = all_rows[batch * share : (batch + BATCH) * share]
                places = ", ".join("?" * len(part[0]))
                raw.executemany(f"INSERT INTO {table} ({columns[table]}) VALUES ({places})", part)  # noqa: S608
            raw.execute("COMMIT")
        return lines / (time.process_time() - begun)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ingest", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("lines", type=int, nargs="?", default=LINES)
    parser.add_argument("--rules", type=int, default=RULES)
    parser.add_argument("--days", type=int, default=DAYS)
    sys.exit(not main(**vars(parser.parse_args())))
