"""Measure what suggestions cost: the habits in 100,000 confirmed lines beside those in 10,000, and 50 likely accounts.

    python -m benchmarks.suggestions [LINES]

The lines are of 200 counterparties, each of which goes to one account; every third has no counterparty, only a
description with a number in front. Times are CPU seconds, for the machines at hand are shared.
"""

import logging
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from itertools import islice, product
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from benchmarks import histories
from tests.fixtures.houses import House
from tests.fixtures.stores import SqliteFiles
from webapp.database.sessions import db, scope_session
from webapp.ledger.chart import Role
from webapp.models import Transaction
from webapp.queries.accounts import accounts
from webapp.queries.suggestions import likely_accounts, rule_suggestions
from webapp.queries.transactions import transactions

LINES, PARTIES, SHOWN = 100_000, 200, 50
SECONDS_GOAL, RATIO_GOAL, LIKELY_GOAL = 2.0, 14.0, 0.05
ROUNDS = 3


def main(lines: int) -> bool:
    """Measure and print; answers whether all bars are met."""
    logging.disable(logging.INFO)
    few, _ = measured(lines // 10)
    many, likely = measured(lines)
    print(f"suggestions over {lines // 10:9,} lines   {few:6.2f} s")
    print(f"suggestions over {lines:9,} lines   {many:6.2f} s   {many / few:5.1f} x")
    print(f"likely accounts of {SHOWN} lines      {likely * 1000:6.1f} ms")
    print(f"Promised are {SECONDS_GOAL} s, {RATIO_GOAL} x and {LIKELY_GOAL * 1000:.0f} ms.")
    return many <= SECONDS_GOAL and many <= RATIO_GOAL * few and likely <= LIKELY_GOAL


def measured(lines: int) -> tuple[float, float]:
    """Give the CPU seconds of all suggestions, and of the likely accounts of a page."""
    with tempfile.TemporaryDirectory() as folder:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        with house.app.app_context():
            organization_id = house.people["ada"].organization_id
            histories.write(organization_id, 2 * lines)
            _tell()
            scope_session(organization_id)
            page = db.session.scalars(sa.select(Transaction).order_by(Transaction.id).limit(SHOWN)).all()
            waiting = accounts.by_role(organization_id, Role.UNCATEGORISED_EXPENSES.value).id
            records = [
                replace(each, account_id=waiting) for each in transactions.records(organization_id, page)
            ]
            suggestions = _best(lambda: rule_suggestions.found(organization_id))
            likely = _best(lambda: likely_accounts.of_lines(organization_id, records))
        house.leave()
    return suggestions, likely


def _best(act: Callable[[], Any]) -> float:
    times = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        act()
        times.append(time.process_time() - begun)
    return min(times)


def _tell() -> None:
    """Give the lines texts: by their ids, so that each counterparty always goes to the same account."""
    names = [f"{first}{last} Handel" for first, last in islice(product(_SYLLABLES, _SYLLABLES), PARTIES)]
    ids = db.session.scalars(sa.select(Transaction.id)).all()
    told = [_text(number, names[number % PARTIES]) for number in ids]
    texts = Transaction.__table__.update().where(Transaction.id == sa.bindparam("line"))
    db.session.connection().execute(
        texts.values(description=sa.bindparam("said"), counterparty=sa.bindparam("party")), told
    )
    db.session.commit()


_SYLLABLES = ("Ar", "Bo", "Ce", "Du", "El", "Fa", "Go", "Hi", "Jo", "Ka", "Lu", "Me", "No", "Pi", "Ro")


def _text(number: int, name: str) -> dict[str, Any]:
    if number % 3:
        return {"line": number, "said": f"Invoice {number * 7919} of {number}", "party": f"{name} {number}"}
    return {"line": number, "said": f"Kartenzahlung {number} {name} Koeln {number * 31}", "party": None}


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(0 if main(*given, *(LINES,)[len(given) :]) else 1)
