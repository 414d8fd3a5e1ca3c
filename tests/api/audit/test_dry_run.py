"""`?dryRun=true`: what a write would answer and change, and nothing written."""

import pytest


@pytest.fixture
def line(bank):
    return bank.send("2026-11-03", "-45.20", "REWE")


def test_a_dry_run_tells_the_answer_and_the_entry_before_and_after(ben, bank, line):
    answer = ben.post(f"/api/transactions/{line}/confirm?dryRun=true")
    assert answer.status_code == 200, answer.json
    told = answer.json
    assert (told["dryRun"], told["status"]) == (True, 200)
    assert (told["answer"]["changed"], told["answer"]["actionRequestId"]) == (True, None)
    (entry,) = told["effect"]["entries"]
    assert (entry["before"]["status"], entry["after"]["status"]) == ("DRAFT", "POSTED")
    assert {each["accountName"]: each["change"] for each in told["effect"]["balances"]} == {
        "Main account": "-45.20",
        "Uncategorised expenses": "45.20",
    }
    assert [act["title"] for act in told["effect"]["acts"]] == [
        "Confirm REWE −45.20 EUR of 3 Nov as Uncategorised expenses"
    ]
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["entryStatus"] == "DRAFT"


def test_what_only_asks_for_the_methods_of_an_address_tries_nothing(ben, line):
    answer = ben.ask("OPTIONS", f"/api/transactions/{line}/confirm?dryRun=true")
    assert (answer.status_code, answer.text) == (200, "")
