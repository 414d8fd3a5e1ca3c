"""Rules over many lines: a preview is exactly what an oracle says, and undoing a run restores every field."""

import json
import random
import re
import resource
import time
import unicodedata
from collections import Counter
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import sha256

import pytest
import sqlalchemy as sa

from tests.fixtures.feeds import line
from webapp.database.sessions import db
from webapp.models import JournalEntry, Posting, Rule, RuleSetting
from webapp.queries import checks
from webapp.queries.rules import candidates, previews
from webapp.queries.rules.candidates import CandidateFilters
from webapp.services.transactions.lifecycle import MOST_LINES

RULES, RUNS = "/api/automations/rules", "/api/automations/runs"
SHOPS = (
    "Café Nero",
    "CAFE\u0301 Luna",
    "Straßenbahn",
    "Rewe Markt",
    "\uff21ldi Süd",
    "Landlord",
    "Cafe Brot",
)
FIRST = date(2025, 1, 1)
OF_A_PUSH, MOST_POSTED = 1000, 250


@dataclass(frozen=True)
class Said:
    """What the bank says in a line, kept beside the books for the oracle."""

    name: str
    description: str
    counterparty: str
    reference: str
    iban: str
    cents: int
    day: date

    def as_pushed(self):
        amount = f"{'-' if self.cents < 0 else ''}{abs(self.cents) // 100}.{abs(self.cents) % 100:02}"
        more = {"counterparty": self.counterparty, "reference": self.reference, "iban": self.iban}
        return line(self.name, amount, self.day.isoformat(), self.description, **more)


def said_lines(count):
    chance = random.Random(6)  # noqa: S311
    for number in range(count):
        shop = chance.choice(SHOPS)
        yield Said(
            f"N{number}",
            f"Card  payment {shop} no {number}",
            chance.choice([shop, shop.upper(), "Somebody"]),
            f"E2E-{chance.randrange(1000)}",
            f"DE02 1203 0000 0000 20{chance.randrange(100):02}",
            chance.choice([-1, -1, 1]) * chance.randrange(1, 30_000),
            FIRST + timedelta(days=chance.randrange(400)),
        )


def folded(text):
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


CONDITIONS = [
    {"field": "DESCRIPTION", "operator": "CONTAINS", "value": "CAFÉ"},
    {"field": "COUNTERPARTY", "operator": "IN", "value": "landlord, aldi süd"},
    {"field": "AMOUNT_ABS", "operator": "BETWEEN", "value": "250.00..260"},
    {"field": "IBAN", "operator": "ENDS_WITH", "value": "2042"},
]
STOP = {"field": "REFERENCE", "operator": "MATCHES", "value": "7$"}
LATE = {"field": "ANY_TEXT", "operator": "STARTS_WITH", "value": "e2e-5"}


class Oracle:
    """What the rules mean, said once more in plain words: each line by itself, in no clever way."""

    def matches(self, said):
        return (
            folded("café") in folded(said.description)
            or folded(said.counterparty) in {folded("landlord"), folded("aldi süd")}
            or 25_000 <= abs(said.cents) <= 26_000
            or said.iban.replace(" ", "").endswith("2042")
        )

    def stops(self, said):
        return re.search("7$", said.reference) is not None

    def is_late(self, said):
        texts = (said.description, said.counterparty, said.reference, said.iban)
        return any(folded(text).startswith("e2e-5") for text in texts)

    def outcome(self, said, *, is_edited):
        """Give what becomes of a line: None where the rule does not match it."""
        if not self.matches(said):
            return None
        if self.stops(said):
            return "cut off"
        if is_edited:
            return "overruled" if self.is_late(said) else "skipped"
        return "overruled" if self.is_late(said) else "changed"


@pytest.fixture
def make_rule(ada):
    def make(name, conditions, effects, **more):
        body = {"name": name, "conditions": conditions, "effects": effects, **more}
        answer = ada.post(RULES, json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["rule"]["id"]

    return make


@pytest.fixture
def many(ada, bank, feed, make_rule):
    def lay(count, *, touched):
        said = list(said_lines(count))
        ids = [
            result["transactionId"]
            for start in range(0, count, OF_A_PUSH)
            for result in feed.results(added=[each.as_pushed() for each in said[start : start + OF_A_PUSH]])
        ]
        chance = random.Random(7)  # noqa: S311
        posted = chance.sample(ids, touched)
        for start in range(0, touched, MOST_LINES):
            some = {"ids": posted[start : start + MOST_LINES]}
            assert ada.post("/api/transactions/confirm", json=some).status_code == 200
        edited = chance.sample(ids, min(touched, 30))
        office = bank.account("Office")
        for each in edited:
            assert ada.patch(f"/api/transactions/{each}", json={"accountId": office}).status_code == 200
        effects = [
            {"kind": "SET_ACCOUNT", "accountId": bank.account("Food")},
            {"kind": "SET_MERCHANT", "orgMerchantId": bank.merchant("Nero")},
            {"kind": "SET_PROJECT", "projectId": bank.project("Shop")},
        ]
        rule = make_rule("tried", {"match": "ANY", "conditions": CONDITIONS}, effects, trigger="MANUAL_APPLY")
        other = [{**effect} for effect in effects]
        make_rule("stop", {"conditions": [STOP]}, other, priority=5, stopProcessing=True)
        make_rule("late", {"conditions": [LATE]}, other, priority=500)
        return rule, dict(zip(ids, said, strict=True)), set(posted), set(edited)

    return lay


def expected(said, edited):
    """Give what the oracle says of each line that the rule matches, in the order of ids."""
    oracle = Oracle()
    outcomes = {number: oracle.outcome(each, is_edited=number in edited) for number, each in said.items()}
    return {number: outcome for number, outcome in sorted(outcomes.items()) if outcome}


def shown(item):
    if item.cut_off_by is not None:
        return "cut off"
    if item.is_changed:
        return "changed"
    return "skipped" if item.skipped else "overruled"


def dumped(organization_id):
    entry, leg, setting = JournalEntry, Posting, RuleSetting
    entries = sa.select(
        entry.id, entry.status, entry.effective_on, entry.description, entry.source, entry.corrects_id
    )
    legs = sa.select(
        leg.journal_entry_id,
        leg.position,
        leg.account_id,
        leg.amount_minor,
        leg.currency,
        leg.amount_base_minor,
        leg.is_bank_leg,
        leg.org_merchant_id,
        leg.project_id,
        leg.transaction_id,
    )
    set_by_rules = sa.select(setting.id, setting.transaction_id, setting.kind, setting.value).where(
        setting.superseded_by.is_(None)
    )
    return [
        json.dumps([str(value) for value in row])
        for statement, order in ((entries, entry.id), (legs, leg.id), (set_by_rules, setting.id))
        for row in db.session.execute(
            statement.where(order.class_.organization_id == organization_id).order_by(order)
        )
    ]


@pytest.mark.rare
def test_a_preview_over_many_lines_is_exact(ada, bank, many, rounds, figure, statements, monkeypatch):
    count = rounds(300, 100_000)
    if count <= candidates.AT_ONCE:
        monkeypatch.setattr(candidates, "AT_ONCE", 100)
    rule_id, said, posted, edited = many(count, touched=count // 20 if count < MOST_POSTED else MOST_POSTED)

    def previewed():
        rule = db.session.get_one(Rule, (ada.organization_id, rule_id))
        before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        counted = previews.of_rule(rule, CandidateFilters(), after=None, limit=50)
        spent = time.process_time() - before[0]
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before[1]
        return counted, spent, grown, previews.of_rule(rule, CandidateFilters(), after=None, limit=count)

    with statements() as sent:
        counted, spent, grown, found = bank.ask(previewed)
    wanted = expected(said, edited)
    assert {item.transaction_id: shown(item) for item in found.items} == wanted
    ends = Counter(wanted.values())
    for said_so in (counted, found):
        assert said_so.matched == len(wanted)
        assert (said_so.changed, said_so.skipped) == (ends["changed"], ends["skipped"])
        assert (said_so.unchanged, said_so.cut_off) == (ends["overruled"], ends["cut off"])
        assert said_so.markers == sum(
            outcome == "changed" for number, outcome in wanted.items() if number in posted
        )
    assert counted.digest == found.digest
    portions = count // candidates.AT_ONCE + 1
    each = len(sent) / (2 * portions)
    figure(
        "rules",
        f"preview over {count:,} lines equals the oracle: {len(wanted):,} matched, {dict(ends)}; {spent:.2f} s of CPU,"
        f" {grown / 1024:.0f} MiB more memory, {each:.1f} statements for each {candidates.AT_ONCE:,} lines",
    )
    assert each <= 12


@pytest.mark.rare
def test_undoing_a_run_over_many_lines_restores_every_field(ada, bank, many, rounds, figure):
    count = rounds(300, 5_000)
    rule_id, said, _posted, edited = many(count, touched=count // 10)
    before = bank.ask(lambda: dumped(ada.organization_id))
    digest = ada.post(f"{RULES}/{rule_id}/preview").json["preview"]["digest"]
    begun = time.process_time()
    run = ada.post(f"{RULES}/{rule_id}/apply", json={"digest": digest}).json["run"]
    applied = time.process_time() - begun
    changing = [number for number, outcome in expected(said, edited).items() if outcome == "changed"]
    between = bank.ask(lambda: dumped(ada.organization_id))
    assert run["changed"] == len(changing)
    assert between != before
    begun = time.process_time()
    undone = ada.post(f"{RUNS}/{run['id']}/undo").json
    spent = time.process_time() - begun
    after = bank.ask(lambda: dumped(ada.organization_id))
    assert (undone["lines"], undone["restored"], undone["kept"]) == (len(changing), 3 * len(changing), [])
    digests = [sha256("\n".join(each).encode()).hexdigest()[:12] for each in (before, between, after)]
    figure(
        "rules",
        f"a run over {count:,} lines changes {len(changing):,} of them in {applied:.2f} s of CPU, undone in"
        f" {spent:.2f} s: dumps {digests[0]}, {digests[1]}, {digests[2]}",
    )
    assert after == before
    assert bank.ask(lambda: list(checks.violations())) == []
