"""What a digest sees: whatever a proposal would do otherwise than it was shown, approving it says so first."""

import io

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.marks import on_sqlite
from webapp.services.audit import trials

FILE = bank_file(Line("2026-04-02", "-2.50", "Coffee", "F1"), Line("2026-04-05", "100.00", "Invoice 7", "F2"))


@pytest.fixture
def decided(ada):
    def approve(proposed):
        assert proposed.status_code == 202, proposed.json
        request = proposed.json["actionRequest"]
        path = f"/api/action-requests/{request['id']}/approve"
        answer = ada.browser().post(path, json={"digest": request["digest"]})
        return answer.status_code, answer.json.get("code")

    return approve


def test_a_statement_that_proves_other_lines_of_the_same_day(agent, bank, desk, decided):
    tea, cake = bank.send_many([("2026-10-03", "-10.00", "Tea"), ("2026-10-03", "-20.00", "Cake")])
    desk.confirm(tea, cake)
    desk.put("2026-10-03", "-10.00")
    desk.clear(cleared=[tea])
    proposed = agent.post(f"{desk.path}/complete")
    assert desk.put("2026-10-03", "-20.00", version=desk.account()["draft"]["version"]).status_code == 200
    desk.clear(cleared=[cake], uncleared=[tea])
    assert decided(proposed) == (409, "moved")


@on_sqlite
def test_what_is_too_much_to_be_shown(ada, agent, bank, decided, monkeypatch):
    """Two lines beyond those that are told go to each other's account: no balance tells."""
    monkeypatch.setattr(trials, "MOST_SHOWN", 2)
    lines = bank.send_many([(f"2026-11-{day:02}", "-1.00", "Tea") for day in range(1, 6)])
    food, travel = bank.account("Food"), bank.account("Travel")
    book(ada, {lines[3]: food, lines[4]: travel})
    proposed = agent.post("/api/transactions/confirm", json={"ids": lines})
    effect = proposed.json["actionRequest"]["effect"]
    assert (len(effect["entries"]), effect["entryCount"]) == (2, 5)
    book(ada, {lines[3]: travel, lines[4]: food})
    assert decided(proposed) == (409, "moved")


def test_drafts_that_would_go_with_their_import(ada, agent, bank, decided):
    taken = ada.post(
        "/api/feeds/imports",
        data={"file": (io.BytesIO(FILE), "april.ofx")},
        content_type="multipart/form-data",
    )
    proposed = agent.delete(f"/api/feeds/imports/{taken.json['import']['id']}")
    assert proposed.json["actionRequest"]["effect"]["entryCount"] == 2
    line = ada.get("/api/transactions").json["transactions"][0]["id"]
    book(ada, {line: bank.account("Care")})
    assert decided(proposed) == (409, "moved")


def test_a_document_that_says_something_else_by_now(ada, agent, bank, decided):
    """Its title says of what, and so does the effect: both are told anew."""
    document = ada.post("/api/documents", json={"documentType": "BILL", "sender": "REWE", "total": "5.00"})
    document_id, line = document.json["document"]["id"], bank.send("2026-11-03", "-5.00", "REWE")
    path = f"/api/documents/{document_id}/relations"
    proposed = agent.post(path, json={"transactionId": line})
    assert ada.patch(f"/api/documents/{document_id}", json={"total": "9000.00"}).status_code == 200
    assert decided(proposed) == (409, "moved")
    told = agent.get(f"/api/action-requests/{proposed.json['actionRequest']['id']}").json["actionRequest"]
    assert "9,000.00 EUR" in told["title"]


def book(person, accounts):
    changes = [{"id": line, "accountId": account} for line, account in accounts.items()]
    assert person.patch("/api/transactions", json={"changes": changes}).status_code == 200


def test_a_digest_that_a_proposal_had_before_is_moved_and_one_that_it_never_had_is_unknown(ada, agent, bank):
    """Also after somebody looked at what it does now, and of several: nothing is done."""
    line, food = bank.send("2026-10-03", "-10.00", "Tea"), bank.account("Food")
    request = agent.post(f"/api/transactions/{line}/confirm").json["actionRequest"]
    path, browser = f"/api/action-requests/{request['id']}", ada.browser()
    book(ada, {line: food})

    def approve(digest):
        answer = browser.post(f"{path}/approve", json={"digest": digest})
        reviewed = {"proposals": [{"id": request["id"], "digest": digest}]}
        (several,) = browser.post("/api/action-requests/approve", json=reviewed).json["results"]
        assert several["code"] == answer.json["code"]
        return answer

    first = approve(request["digest"])
    assert (first.status_code, first.json["code"]) == (409, "moved")
    again = approve(request["digest"])
    assert (again.status_code, again.json["code"]) == (409, "moved")
    now = again.json["details"]["digest"]
    other = agent.post("/api/projects", json={"name": "Attic"}).json["actionRequest"]["digest"]
    for unknown in ("0" * 64, now[::-1], other):
        refused = approve(unknown)
        assert (refused.status_code, refused.json["code"]) == (422, "unknown_digest")
        assert "digest" in refused.json["fields"]
    assert ada.get(path).json["actionRequest"]["status"] == "PENDING"
    assert browser.post(f"{path}/approve", json={"digest": now}).status_code == 200
