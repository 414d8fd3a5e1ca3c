"""Two people and a rule on one line at the same moment: no edit that was acknowledged is lost (P11, P12)."""

import json
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

import pytest
import sqlalchemy as sa

from tests.concurrency.crowds import PATIENCE_SECONDS, Client
from webapp.database.sessions import db
from webapp.models import AuditEvent
from webapp.queries import checks

RULES = "/api/automations/rules"
# Every other round is over a posted line.
QUICK, PROMISED = 4, 2 * 200


@pytest.fixture
def rule(ada, bank):
    account_id, merchant_id = bank.account("Food"), bank.merchant("Nero")
    answer = ada.post(
        RULES,
        json={
            "name": "Coffee",
            "trigger": "MANUAL_APPLY",
            "conditions": {"conditions": [{"value": "coffee"}]},
            "effects": [
                {"kind": "SET_ACCOUNT", "accountId": account_id},
                {"kind": "SET_MERCHANT", "orgMerchantId": merchant_id},
            ],
        },
    )
    return answer.json["rule"]["id"], merchant_id


@pytest.fixture
def at_once(gunicorn, ada, ben):
    """Let Ada, Ben and a program with Ada's rights ask at the same moment, each over a connection of its own."""
    address, barrier = gunicorn(2), threading.Barrier(3)
    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        clients = [stack.enter_context(closing(Client(address, who.token))) for who in (ada, ben, ada)]

        def ask(client, request):
            barrier.wait(PATIENCE_SECONDS)
            return client.send(*request)

        yield lambda *requests: list(threads.map(ask, clients, requests))


def edits_of(bank, line):
    asked = sa.select(AuditEvent).where(AuditEvent.kind == "edit_transaction").order_by(AuditEvent.sequence)
    events = bank.ask(lambda: [json.loads(event.body) for event in db.session.scalars(asked)])
    return [event["payload"]["account_id"] for event in events if event["target"]["id"] == str(line)]


def opposite(person, bank, line):
    """Give account, project and merchant of what shall stand opposite a line in the end."""
    there = person.get(f"/api/transactions/{line}").json["transaction"]
    entry_id = there["correctionMarkerId"] or there["journalEntryId"]
    legs = person.get(f"/api/journal-entries/{entry_id}").json["entry"]["postings"]
    bank_account = bank.ledger_account()
    return [
        (leg["accountId"], leg["projectId"], leg["orgMerchantId"])
        for leg in legs
        if leg["accountId"] != bank_account
    ]


def test_no_edit_is_lost_to_a_rule_or_to_another(at_once, ada, bank, rule, rounds, figure):
    (rule_id, merchant), project = rule, bank.project("Shop")
    travel, office = bank.account("Travel"), bank.account("Office")
    lost, ends = [], Counter()
    for number in range(rounds(QUICK, PROMISED)):
        line = bank.send("2026-03-02", "-2.50", f"Coffee {number}")
        path, chosen = f"/api/transactions/{line}", f"?transactionId={line}"
        if number % 2:
            assert ada.post(f"{path}/confirm").status_code == 200
        digest = ada.post(f"{RULES}/{rule_id}/preview{chosen}").json["preview"]["digest"]
        *edited, applied = at_once(
            ("PATCH", path, {"accountId": travel, "projectId": project}),
            ("PATCH", path, {"accountId": office}),
            ("POST", f"{RULES}/{rule_id}/apply{chosen}", {"digest": digest}),
        )
        is_applied = applied.status == 200
        edits = edits_of(bank, line)
        # What was edited last stands; the rule was there before both, or it was refused and set nothing.
        stands = [(edits[-1], project, merchant if is_applied else None)]
        answers = [each.status for each in edited], is_applied or applied.body["code"]
        ends["before the edits" if is_applied else answers[1], edits[-1] == office] += 1
        legs = opposite(ada, bank, line)
        if answers[0] != [200, 200] or sorted(edits) != [travel, office] or legs != stands:
            lost.append((answers, edits, legs, stands))
        assert is_applied or applied.body["code"] == "preview_moved"
    figure(
        "P12",
        f"two people and a rule on one line, {ends.total()} rounds, half of them posted: {len(lost)} edits lost;"
        f" {dict(ends)} (what became of the rule, whether the second edit came last)",
    )
    assert lost == []
    assert bank.ask(lambda: [each.as_json() for each in checks.violations()]) == []
