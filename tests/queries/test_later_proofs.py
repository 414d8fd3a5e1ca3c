"""Whether proofs still hold, and how a change of an item changes the verdict of every proof that counts it."""

import pytest

from tests.fixtures.feeds import Feed, line
from webapp.queries.checks import proofs
from webapp.queries.reconciliation import hub


@pytest.fixture
def proved(ada, bank, desk):
    feed = Feed(ada, bank.open("Fed account"))
    feed.push(added=[line("a", "100.00", "2025-01-05"), line("b", "-40.00", "2025-01-10")])
    desk.confirm(*(each["id"] for each in feed.lines()))
    january = desk.prove("2025-01-31", "60.00")
    feed.push(added=[line("f", "20.00", "2025-02-10")])
    desk.confirm(feed.lines()[0]["id"])
    february = desk.prove("2025-02-28", "80.00")
    assert ada.put("/api/lock-date", json={"lockDate": "2025-03-31"}).status_code == 200
    return feed, january["id"], february["id"]


def verdicts_shown(bank, desk, *ids):
    """Read whether proofs hold; hub, records and `check` have one answer."""
    shown = [desk.proof(proof)["holds"] for proof in ids]
    anchor = desk.account()["anchor"]
    assert anchor["holds"] == dict(zip(ids, shown, strict=True))[anchor["id"]]
    assert bank.ask(lambda: [each.message for each in proofs.recorded_verdicts()]) == []
    return shown


def b_of(feed):
    return next(each["id"] for each in feed.lines() if each["bookedOn"] == "2025-01-10")


def test_a_correction_behind_a_lock_breaks_later_proofs_until_it_is_taken_back(bank, desk, proved):
    feed, january, february = proved
    feed.push(modified=[line("b", "-50.00", "2025-01-10")])
    desk.confirm(b_of(feed))
    assert verdicts_shown(bank, desk, january, february) == [False, False]
    cause = desk.proof(february)["brokenBy"]
    assert (cause["field"], cause["before"], cause["after"]) == ("books", "0.00", "-10.00")
    assert desk.line(b_of(feed))["journalEntryId"] != cause["journalEntryId"]
    feed.push(modified=[line("b", "-40.00", "2025-01-10")])
    assert verdicts_shown(bank, desk, january, february) == [False, False]
    desk.confirm(b_of(feed))
    assert verdicts_shown(bank, desk, january, february) == [True, True]


def test_a_new_confirm_behind_a_lock_mends_later_proofs_too(bank, desk, proved):
    feed, january, february = proved
    desk.void(desk.line(b_of(feed))["journalEntryId"])
    assert verdicts_shown(bank, desk, january, february) == [False, False]
    desk.confirm(b_of(feed))
    assert verdicts_shown(bank, desk, january, february) == [True, True]
    assert [each["repair"] for each in desk.proof(february)["history"]] == ["UNDONE"]


def test_a_void_on_a_later_day_without_a_lock_is_mended_by_a_new_confirm(ada, bank, desk, proved):
    feed, january, february = proved
    assert (
        ada.browser().put("/api/lock-date", json={"lockDate": None, "reason": "Open again"}).status_code
        == 200
    )
    body = {"reason": "Wrong", "effectiveAt": "2025-04-02"}
    answer = ada.post(f"/api/journal-entries/{desk.line(b_of(feed))['journalEntryId']}/void", json=body)
    assert answer.status_code == 200, answer.json
    verdicts_shown(bank, desk, january, february)
    desk.confirm(b_of(feed))
    assert verdicts_shown(bank, desk, january, february) == [True, True]


def test_a_manual_entry_cleared_earlier_counts_in_every_later_proof(ada, bank, desk):
    feed = Feed(ada, bank.open("Fed account"))
    cash = bank.account("Cash box", "ASSET")

    def legs(amount):
        return [
            {"accountId": bank.ledger_account(), "amount": amount, "currency": "EUR"},
            {"accountId": cash, "amount": f"-{amount}", "currency": "EUR"},
        ]

    body = {"effectiveAt": "2025-01-05", "description": "By hand", "postings": legs("60.00"), "post": True}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]["id"]
    january = desk.prove("2025-01-31", "60.00")["id"]
    feed.push(added=[line("f", "20.00", "2025-02-10")])
    desk.confirm(feed.one()["id"])
    february = desk.prove("2025-02-28", "80.00")["id"]
    ada.put("/api/lock-date", json={"lockDate": "2025-03-31"})
    desk.void(entry)
    assert verdicts_shown(bank, desk, january, february) == [False, False]


def test_another_ledger_account_behind_a_feed_changes_the_verdict(ada, bank, desk):
    bank.open("Main account")
    postings = [
        {"accountId": bank.ledger_account(), "amount": "60.00", "currency": "EUR"},
        {"accountId": bank.account("Cash box", "ASSET"), "amount": "-60.00", "currency": "EUR"},
    ]
    body = {"effectiveAt": "2025-01-05", "description": "By hand", "postings": postings, "post": True}
    assert ada.post("/api/journal-entries", json=body).status_code == 201
    january = desk.prove("2025-01-31", "60.00")["id"]
    other = bank.account("Other account", "ASSET")
    answer = ada.patch(f"/api/feeds/accounts/{bank.fa_id}", json={"accountId": other})
    assert answer.status_code == 200, answer.json
    assert verdicts_shown(bank, desk, january) == [False]


def prove_two(bank, desk):
    first, second = bank.send_many([("2026-10-02", "100.00", "In"), ("2026-10-03", "-40.00", "Out")])
    desk.confirm(first, second)
    october = desk.prove("2026-10-31", "60.00")
    desk.confirm(bank.send("2026-11-02", "5.00", "Interest"))
    return second, october, desk.prove("2026-11-20", "65.00")


def off_by(person, bank):
    broken = bank.ask(lambda: hub.account(person.organization_id, bank.fa_id)).broken
    return str(broken.cleared_now), str(broken.off_by)


def test_a_void_breaks_the_proof_that_has_the_line_and_every_later_one(ben, bank, desk):
    second, october, _ = prove_two(bank, desk)
    desk.void(desk.line(second)["journalEntryId"])
    assert desk.proof(october["id"])["holds"] is False
    assert off_by(ben, bank) == ("100.00", "-40.00")
    reopened = desk.reopen().json["account"]
    assert reopened["anchor"]["id"] == october["id"]
    assert off_by(ben, bank) == ("100.00", "-40.00")
    desk.confirm(second)
    assert desk.account()["anchor"]["holds"] is True
    assert desk.complete().status_code == 200
    assert desk.account()["status"] == "reconciled"
