"""Measure what reports of open items cost: aged lists, statements, the balance sheet and proposals, over many items.

    python -m benchmarks.owed [ITEMS] [sqlite|postgresql] [alike]

Invoices of two years to 2,000 customers, nine of ten of them paid, each by a payment that is an item too; `alike`
they are all of one customer, one day and one amount. Times are milliseconds of a whole request, the best of a few,
beside those over a tenth of the items: CPU on SQLite, and on PostgreSQL the clock's, for its server works too.
"""

from __future__ import annotations

import argparse
import logging
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.histories import vacuum
from benchmarks.workspaces import best, expect, store_of
from tests.fixtures.houses import House
from tests.fixtures.payers.owed_in_bulk import FIRST, write
from webapp import tenancy
from webapp.db import db
from webapp.queries import checks
from webapp.queries.checks import items as item_checks

if TYPE_CHECKING:
    from tests.fixtures.people import Person
    from tests.fixtures.stores import PostgresqlServer, SqliteFiles

ITEMS = 100_000
LAST = date(2026, 10, 31)
# Days before the last one, of a look back.
EARLIER = 200


def requests(person: Person, account_id: int, party: int) -> dict[str, Callable[[], None]]:
    """The requests to measure, by their names; each asks for another day, so that no answer is one that was kept."""
    pages, days_back = person.browser(), count()

    def get(path: str, part: str, before: int = 0) -> Callable[[], None]:
        def ask() -> None:
            day = LAST - timedelta(days=before + next(days_back) % 30)
            expect((pages if path.startswith("/owed") else person).get(path.format(day=day)).text, part)

        return ask

    aged, sheet = (
        "/api/reports/aged-receivables?asOf={day}",
        f"/api/reports/balance-sheet?from={FIRST}&to={{day}}",
    )
    items = f"/api/items?accountId={account_id}&openOn={{day}}"
    return {
        "aged": get(aged, "agedReceivables"),
        "aged before": get(aged, "agedReceivables", EARLIER),
        "balance sheet": get(sheet, "balanceSheet"),
        "sheet before": get(sheet, "balanceSheet", EARLIER),
        "items": get(items, "items"),
        "items before": get(items, "items", EARLIER),
        "statement": get(
            f"/api/reports/party-statement?orgMerchantId={party}&from={FIRST}&to={{day}}", "partyStatement"
        ),
        "owed page": get("/owed?asOf={day}", "Customer"),
    }


def measured(store: SqliteFiles | PostgresqlServer, items: int, *, alike: bool) -> dict[str, float]:
    """Give the milliseconds of each request over so many items, after the books were found sound."""
    clock = time.process_time if store.__class__.__name__ == "SqliteFiles" else time.perf_counter
    with tempfile.TemporaryDirectory() as folder:
        house = House(store, Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        with house.app.app_context():
            account_id = write(ada.organization_id, items, alike=alike)
            if db.engine.dialect.name == "postgresql":
                vacuum(db.engine)
        with house.app.app_context():
            refuse_unsound(ada.organization_id)
        listed = ada.get(f"/api/items?accountId={account_id}&limit=1").json["items"]
        party = listed[0]["orgMerchantId"]
        found = {name: best(act, clock) for name, act in requests(ada, account_id, party).items()}
        house.leave()
    return found


def refuse_unsound(organization_id: str) -> None:
    """Refuse to measure books that `tieout check` finds fault with."""
    with tenancy.maintenance():
        # Written in bulk, no act says who posted them.
        wrong: list[Any] = [each for each in checks.violations() if each.code != "posted_by_nobody"]
        wrong += item_checks.untied(organization_id, LAST - timedelta(days=EARLIER))
        db.session.rollback()
    if wrong:
        raise SystemExit(f"These books are not sound: {wrong[:3]}")


def main(items: int, engine: str, *, alike: bool) -> None:
    """Measure and print."""
    logging.disable(logging.INFO)
    with tempfile.TemporaryDirectory() as folder:
        few, many = (
            measured(store_of(engine, Path(folder)), each, alike=alike) for each in (items // 10, items)
        )
    for name, milliseconds in many.items():
        ratio = milliseconds / few[name]
        print(
            f"{name:<14} {items // 10:,} items {few[name]:7.1f} ms   {items:,} {milliseconds:7.1f} ms {ratio:5.1f} x"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.owed")
    parser.add_argument("items", type=int, nargs="?", default=ITEMS)
    parser.add_argument("engine", nargs="?", default="sqlite", choices=["sqlite", "postgresql"])
    parser.add_argument("distribution", nargs="?", default="even", choices=["even", "alike"])
    asked = parser.parse_args()
    sys.exit(main(asked.items, asked.engine, alike=asked.distribution == "alike"))
