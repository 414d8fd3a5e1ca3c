"""A posted line that the bank moves: before the day on which its books begin, or past a statement, and then away."""

import pytest

from tests.fixtures.feeds import line


@pytest.fixture
def account(ada, feed):
    """Books that begin on 4 March with 100.00, proved on 8 March; a later line is posted and not cleared."""
    early, late = (
        each["transactionId"]
        for each in feed.results(added=[line("A1", "10.00", "2026-03-05"), line("A2", "-4.00", "2026-03-09")])
    )
    for each in (early, late):
        ada.post(f"/api/transactions/{each}/confirm")
    path = f"/api/reconciliations/accounts/{feed.fa_id}"
    opening = {"keepAsNew": True, "openingBalance": "100.00", "openingDate": "2026-03-04"}
    ada.put(f"{path}/draft", json={"statementDate": "2026-03-08", "statementBalance": "110.00", **opening})
    ada.put(f"{path}/draft/lines", json={"cleared": [early]})
    assert ada.post(f"{path}/complete", json={}).status_code == 200
    return late


def state(ada, bank):
    """Give whether the proof holds, and what the checks find."""
    (found,) = ada.get("/api/reconciliations/accounts").json["accounts"]
    violations = bank.broken()
    return found["anchor"]["holds"], violations


def test_its_proof_breaks_until_its_entry_is_voided(ada, bank, feed, account):
    feed.results(modified=[line("A2", "-4.00", "2026-03-01")])
    assert state(ada, bank) == (False, [])
    entry = ada.get(f"/api/transactions/{account}").json["transaction"]["journalEntryId"]
    assert ada.get(f"/api/journal-entries/{entry}").json["entry"]["canVoid"] is True
    assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "Too late"}).status_code == 200
    assert state(ada, bank) == (True, [])


def test_its_proof_heals_when_the_bank_moves_it_back(ada, bank, feed, account):
    feed.results(modified=[line("A2", "-4.00", "2026-03-01")])
    feed.results(modified=[line("A2", "-4.00", "2026-03-09")])
    assert state(ada, bank) == (True, [])


def test_a_line_that_the_opening_holds_may_move_behind_it(ada, bank, feed, account):
    (before,) = feed.results(added=[line("A0", "-7.00", "2026-03-02")])
    feed.results(modified=[line("A0", "-7.00", "2026-03-20")])
    assert state(ada, bank) == (True, [])
    assert ada.post(f"/api/transactions/{before['transactionId']}/confirm").status_code == 200
    assert state(ada, bank) == (True, [])


def test_a_line_that_moved_behind_it_before_it_was_proved_again_is_not_held(ada, bank, feed, account):
    path = f"/api/reconciliations/accounts/{feed.fa_id}"
    ada.post(f"{path}/reopen", json={"reason": "Too early"})
    (before,) = feed.results(added=[line("A0", "-7.00", "2026-03-02")])
    ada.post(f"{path}/complete", json={})
    feed.results(modified=[line("A0", "-7.00", "2026-03-20")])
    ada.post(f"{path}/reopen", json={"reason": "Too early"})
    assert ada.post(f"{path}/complete", json={}).status_code == 200
    assert ada.post(f"/api/transactions/{before['transactionId']}/confirm").status_code == 200
    assert state(ada, bank) == (True, [])


def test_a_line_that_the_opening_holds_may_be_taken_away_and_come_back(ada, bank, feed, account):
    """Its entry is of a day behind the opening, so the proof breaks until the line is back or proved anew."""
    path = f"/api/reconciliations/accounts/{feed.fa_id}"
    ada.post(f"{path}/reopen", json={"reason": "Too early"})
    feed.results(modified=[line("A2", "-4.00", "2026-03-01")])
    assert ada.post(f"{path}/complete", json={}).status_code == 200
    assert state(ada, bank) == (True, [])
    feed.results(removed=["A2"])
    assert state(ada, bank) == (False, [])
    entry = ada.get(f"/api/transactions/{account}").json["transaction"]["journalEntryId"]
    refused = ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "The bank removed it"})
    assert (refused.status_code, refused.json["code"]) == (409, "before_opening")
    feed.results(added=[line("A2", "-4.00", "2026-03-01")])
    assert state(ada, bank) == (True, [])


def test_the_proof_before_its_day_breaks_with_the_books(ada, bank, feed):
    early, late = (
        each["transactionId"]
        for each in feed.results(added=[line("A1", "10.00", "2026-03-05"), line("A2", "40.00", "2026-03-04")])
    )
    for each in (early, late):
        ada.post(f"/api/transactions/{each}/confirm")
    feed.results(modified=[line("A2", "40.00", "2026-03-09")])
    path = f"/api/reconciliations/accounts/{feed.fa_id}"
    ada.put(f"{path}/draft", json={"statementDate": "2026-03-08", "statementBalance": "10.00"})
    ada.put(f"{path}/draft/lines", json={"cleared": [early]})
    assert ada.post(f"{path}/complete", json={}).status_code == 200

    def state():
        (found,) = ada.get("/api/reconciliations/accounts").json["accounts"]
        return found["anchor"]["holds"], bank.broken()

    assert state() == (True, [])
    feed.results(removed=["A2"])
    assert state() == (False, [])
    feed.results(added=[line("A2", "40.00", "2026-03-09")])
    assert state() == (True, [])
