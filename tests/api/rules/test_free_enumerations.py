"""The two enumerations of a rule are free of each other, as the interface document has them."""

from itertools import product

import pytest

from webapp.ledger.rules.triggers import Target, Trigger

FOOD = {"conditions": [{"field": "DESCRIPTION", "operator": "CONTAINS", "value": "Tea"}]}


@pytest.mark.parametrize("names", [("target", "trigger"), ("appliesTo", "when")])
def test_each_pair_is_taken_and_one_that_never_meets_runs_only_by_hand(ada, bank, names):
    travel = bank.account("Travel")
    effects = [{"kind": "SET_ACCOUNT", "accountId": travel}]
    for target, trigger in product(Target, Trigger):
        body = {"name": f"{target} {trigger}", "conditions": FOOD, "effects": effects}
        answer = ada.post(
            "/api/automations/rules", json={**body, **dict(zip(names, (target, trigger), strict=True))}
        )
        assert answer.status_code == 201, (target, trigger, answer.json)
        rule = answer.json["rule"]
        assert (rule["target"], rule["trigger"]) == (target, trigger)
        meets = trigger.startswith(("MANUAL", target))
        assert answer.json["warnings"] == (
            [] if meets else [f"This rule runs only by hand: {trigger} never meets a {target}."]
        )
        read = ada.get(f"/api/automations/rules/{rule['id']}").json["rule"]
        assert (read["target"], read["trigger"]) == (target, trigger)
    assert bank.broken() == []


def test_a_rule_of_receipts_never_acts_on_a_line(ada, bank):
    travel = bank.account("Travel")
    body = {"name": "Tea", "conditions": FOOD, "effects": [{"kind": "SET_ACCOUNT", "accountId": travel}]}
    made = ada.post(
        "/api/automations/rules", json={**body, "target": "RECEIPT", "trigger": "TRANSACTION_INGESTED"}
    )
    assert made.status_code == 201
    line = bank.send("2026-10-02", "-4.00", "Tea")
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["accountId"] != travel
