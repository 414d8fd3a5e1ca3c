"""Measure what rules cost: 50 and 500 of them asked of 100,000 lines, and lines taken with 50 rules beside none.

    python -m benchmarks.rules [LINES] [TAKEN]

First LINES lines are asked in memory, a tenth of them matched; then TAKEN lines are pushed over the API, and imported
from an OFX file, by two fresh organizations on SQLite each, of which one has 50 rules that give lines their account,
merchant and provenance. Times are CPU seconds, for the machines at hand are shared.
"""

import io
import logging
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from benchmarks.imports import ofx
from benchmarks.ingest import CREATED, make_rules, pushed
from tests.fixtures.banks import Bank
from tests.fixtures.houses import House
from tests.fixtures.people import Person
from tests.fixtures.stores import SqliteFiles
from webapp.ledger.rules.conditions import Condition, Match
from webapp.ledger.rules.effects import Effect, EffectKind
from webapp.ledger.rules.engine import CompiledRule, RuleSet
from webapp.ledger.rules.items import RuleLine
from webapp.ledger.rules.matching import compiled
from webapp.services.ingestion.staging import NewLine

LINES, TAKEN = 100_000, 20_000
FEW, MANY = 50, 500
MANY_GOAL, INGEST_GOAL = 4.0, 1.6


def main(lines: int, to_take: int) -> bool:
    """Measure and print; answers whether all bars are met."""
    logging.disable(logging.INFO)
    few, many = asked(FEW, lines), asked(MANY, lines)
    print(f"{FEW} rules over {lines:,} lines    {few:6.2f} s   {few / lines * 1e6:5.1f} µs a line")
    print(f"{MANY} rules over {lines:,} lines   {many:6.2f} s   {many / few:5.2f} x {FEW}")
    ratios = [compared(name, to_take) for name in WAYS]
    print(f"Promised are {MANY_GOAL} x for {MANY} rules and {INGEST_GOAL} x for lines that come in.")
    return many <= MANY_GOAL * few and max(ratios) <= INGEST_GOAL


def compared(name: str, lines: int) -> float:
    """Let lines be taken without rules and with some, and give how many times as long that takes."""
    without, with_rules = taken(name, 0, lines), taken(name, FEW, lines)
    print(f"{name} without rules           {without:9,.0f} lines/s")
    print(
        f"{name} with {FEW} rules           {with_rules:9,.0f} lines/s   {without / with_rules:5.2f} x the time"
    )
    return without / with_rules


def asked(rules: int, lines: int) -> float:
    """Ask rules of lines, and give the seconds."""
    ruleset = RuleSet([_rule(number) for number in range(rules)])
    items = [_item(number) for number in range(min(lines, 10_000))]
    begun = time.process_time()
    for number in range(lines):
        ruleset.decide(items[number % len(items)].values())
    return time.process_time() - begun


def _rule(number: int) -> CompiledRule:
    conditions = compiled(Match.ALL, [Condition(value=f"shop {number:04}")])
    effects = (Effect(EffectKind.SET_ACCOUNT, 0, number + 1),)
    return CompiledRule(number + 1, 1, 100, False, conditions, effects)  # noqa: FBT003


def _item(number: int) -> RuleLine:
    shop = number % (MANY * 10)
    line = NewLine(
        provider_transaction_id=None,
        booked_on=date(2024, 1, 1) + timedelta(days=number % 730),
        value_on=None,
        amount_minor=100 * (number % 900 + 1),
        description=f"Card payment Shop {shop:04} no {number}",
        counterparty=f"Shop {shop:04}",
        reference=f"E2E-{number}",
        iban=None,
        line_key=None,
        occurrence=1,
        is_pending=False,
    )
    return RuleLine(line, "EUR", 1)


def taken(name: str, rules: int, lines: int) -> float:
    """Take lines in a fresh organization with so many rules, each of which matches some; gives lines a second."""
    word, take = WAYS[name]
    with tempfile.TemporaryDirectory() as folder:
        house = House(SqliteFiles(Path(folder)), Path(folder))
        house.refresh()
        ada = replace(house.people["ada"], app=house.app)
        bank = Bank(house.app, ada)
        fa_id = bank.open("Checking")
        make_rules(ada, bank, word, rules)
        rate = take(ada, fa_id, lines)
        house.leave()
    return rate


def fed(person: Person, fa_id: int, lines: int) -> float:
    """Push lines to an account, and give how many were taken in a second."""
    return pushed(person, fa_id, lines, "rules")


def imported(person: Person, fa_id: int, lines: int) -> float:
    """Import lines from one file into an account, and give how many were taken in a second."""
    form = {"file": (io.BytesIO(ofx(lines)), "lines.ofx"), "faId": str(fa_id)}
    begun = time.process_time()
    answer = person.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    if answer.status_code != CREATED:
        raise SystemExit(answer.text)
    return lines / (time.process_time() - begun)


# How lines come in, with the word that each of their texts has in front of a shop's number.
WAYS: Mapping[str, tuple[str, Callable[[Person, int, int], float]]] = {
    "feed": ("merchant", fed),
    "file": ("shop", imported),
}


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(0 if main(*given, *(LINES, TAKEN)[len(given) :]) else 1)
