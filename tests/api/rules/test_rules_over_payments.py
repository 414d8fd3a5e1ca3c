"""A rule that books payments of invoices elsewhere says so before it runs, as it runs, and when a file comes."""

from io import BytesIO

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import line as fed
from tests.fixtures.helpers.owed import owe
from tests.fixtures.helpers.transfers import send
from tests.mcp.clients import Model

WARNED = "is the open amount of RE-31"


@pytest.fixture
def rule(ada, ben, books, bank, giro):
    """A rule for a customer's lines, and what the customer owes."""
    merchant = bank.merchant("Ostermann")
    owe(ben, books, "1208.50", merchant, reference="RE-31")
    return {
        "name": "Ostermann",
        "conditions": {"conditions": [{"value": "ostermann"}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": books.account_id("Sales of services")}],
    }


@pytest.fixture
def lines(bank, giro):
    """A payment, and a line that pays nothing."""
    paying = send(bank, giro, "2026-03-20", "1208.50", text="RE-31 Ostermann")
    return paying, send(bank, giro, "2026-03-21", "15.00", text="Ostermann consulting")


def test_its_preview_and_its_run_warn_of_the_payment(ada, rule, lines):
    paying, _ = lines
    expected = f"1,208.50 EUR {WARNED} (line {paying}). Match it to that, or it stays open."
    assert ada.post("/api/automations/rules/preview", json=rule).json["preview"]["warnings"] == [expected]
    made = ada.post("/api/automations/rules", json=rule).json["rule"]
    previewed = ada.post(f"/api/automations/rules/{made['id']}/preview").json["preview"]
    assert previewed["warnings"] == [expected]
    path = f"/api/automations/rules/{made['id']}/apply"
    agent = ada.with_scopes("read", "propose")
    waiting = agent.post(path, json={"digest": previewed["digest"]}).json["actionRequest"]
    assert waiting["effect"]["warnings"] == [expected]
    applied = ada.post(path, json={"digest": previewed["digest"]})
    assert (applied.status_code, applied.json["run"]["changed"]) == (200, 2)
    assert applied.json["warnings"] == [expected]


def test_a_tool_that_writes_it_warns(ada, rule, lines):
    written = {
        "name": "Ostermann",
        "when": [{"value": "ostermann"}],
        "category": "Sales of services",
    }
    tried = Model(ada).call("write_rule", **written)
    assert any(WARNED in each for each in tried["warnings"]), tried


@pytest.mark.parametrize("settles", [False, True])
def test_a_file_whose_lines_it_books_warns_unless_a_rule_settles(ada, bank, giro, rule, settles):
    ada.post("/api/automations/rules", json=rule)
    if settles:
        by_number = {"name": "Pay", "effects": [{"kind": "SETTLE_BY_REFERENCE"}], "priority": 1}
        assert ada.post("/api/automations/rules", json=by_number).status_code == 201
    content = bank_file(Line("2026-03-20", "1208.50", "RE-31 Ostermann", "A1"), account=None)
    form = {"file": (BytesIO(content), "march.ofx"), "faId": str(giro)}
    answer = ada.post("/api/feeds/imports", data=form, content_type="multipart/form-data")
    warnings = answer.json["import"]["warnings"]
    assert [each for each in warnings if WARNED in each] == ([] if settles else warnings)
    assert bool(warnings) is not settles


def test_a_push_whose_lines_it_books_warns(ada, giro, rule):
    ada.post("/api/automations/rules", json=rule)
    body = {"batchId": "march", "added": [fed("A1", "1208.50", "2026-03-20", "RE-31 Ostermann")]}
    answer = ada.post(f"/api/feeds/accounts/{giro}/transactions", json=body)
    assert (answer.status_code, answer.json["warningCodes"]) == (200, ["pays_open_item"])
    assert WARNED in answer.json["warnings"][0]
