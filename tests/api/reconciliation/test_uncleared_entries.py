"""The hub counts what stands on a bank's ledger account, comes from no line of the bank, and is in no proof."""

import pytest

NONE = {"count": 0, "sum": "0.00", "oldestOn": None}


@pytest.fixture
def write(ada, bank):
    def post(day, amount, against="transfers"):
        legs = ((bank.ledger_account(), amount), (bank.role(against), f"-{amount}".removeprefix("--")))
        postings = [{"accountId": each, "amount": part, "currency": "EUR"} for each, part in legs]
        body = {"effectiveAt": day, "postings": postings, "post": True}
        answer = ada.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["entry"]["id"]

    return post


def test_entries_without_a_line_are_counted_until_a_proof_clears_them(bank, desk, write):
    bank.open()
    desk.confirm(bank.send("2026-10-02", "10.00"))
    assert desk.account()["unclearedEntries"] == NONE
    first, _ = write("2026-09-01", "30.00"), write("2026-11-05", "-5.00")
    expected = {"count": 2, "sum": "25.00", "oldestOn": "2026-09-01"}
    assert desk.account()["unclearedEntries"] == expected
    desk.put("2026-10-31", "40.00")
    desk.clear(auto=True)
    assert desk.account()["unclearedEntries"] == expected
    assert desk.complete().status_code == 200
    assert desk.account()["unclearedEntries"] == {"count": 1, "sum": "-5.00", "oldestOn": "2026-11-05"}
    desk.reopen()
    assert desk.account()["unclearedEntries"] == expected
    desk.void(first)
    assert desk.account()["unclearedEntries"] == {"count": 1, "sum": "-5.00", "oldestOn": "2026-11-05"}


def test_an_opening_that_came_twice_is_seen_though_all_is_reconciled(bank, desk, write):
    bank.open()
    line = bank.send("2026-01-05", "-40.00")
    desk.confirm(line)
    write("2026-01-01", "1000.00", "opening_balances")
    desk.put("2026-01-31", "960.00", keepAsNew=True, openingDate="2025-12-31", openingBalance="1000.00")
    desk.clear(cleared=[line])
    assert desk.complete().status_code == 200
    found = desk.account()
    assert (found["status"], found["brokenProof"]) == ("reconciled", None)
    assert found["unclearedEntries"] == {"count": 1, "sum": "1000.00", "oldestOn": "2026-01-01"}


def test_what_an_opening_balance_absorbs_is_cleared(bank, desk, write):
    bank.open()
    desk.confirm(bank.send("2026-01-05", "-40.00"))
    write("2025-12-31", "1000.00", "opening_balances")
    assert desk.account()["unclearedEntries"]["count"] == 1
    desk.prove("2026-01-31", "960.00", keepAsNew=True, openingDate="2025-12-31", openingBalance="1000.00")
    assert desk.account()["unclearedEntries"] == NONE
