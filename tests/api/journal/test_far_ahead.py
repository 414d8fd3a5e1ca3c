"""A day of more than a year ahead is asked about by each act that has one, and no lock is of a day to come."""

from datetime import date, timedelta

import pytest

from tests.fixtures.helpers.documents import filed
from tests.fixtures.helpers.owed import items, owe

FAR, NEAR = "2058-03-01", (date.today() + timedelta(days=300)).isoformat()  # noqa: DTZ011  (far from midnight)


@pytest.fixture
def legs(books):
    return [
        {"accountId": books.account_id("Petty cash"), "amount": "9.00"},
        {"accountId": books.account_id("Sales of services"), "amount": "-9.00"},
    ]


def asks(send, body, status):
    """Send without and with force."""
    refused = send({**body})
    assert (refused.status_code, refused.json["code"]) == (409, "far_ahead")
    assert refused.json["details"]["day"] == FAR
    done = send({**body, "force": True})
    assert done.status_code == status, done.json
    return done.json


@pytest.mark.parametrize("post", [True, False])
def test_an_entry_by_hand_asks(ada, legs, post):
    body = {"effectiveAt": FAR, "postings": legs, "post": post}
    asks(lambda sent: ada.post("/api/journal-entries", json=sent), body, 201)
    assert ada.post("/api/journal-entries", json={**body, "effectiveAt": NEAR}).status_code == 201


def test_a_changed_draft_asks_and_so_does_its_posting(ada, legs):
    draft = ada.post("/api/journal-entries", json={"effectiveAt": NEAR, "postings": legs}).json
    address = f"/api/journal-entries/{draft['entry']['id']}"
    body = {"effectiveAt": FAR, "postings": legs, "version": draft["version"]}
    changed = asks(lambda sent: ada.put(address, json=sent), body, 200)
    asks(lambda sent: ada.post(f"{address}/post", json=sent), {"version": changed["version"]}, 200)


def test_a_void_asks(ada, legs):
    body = {"effectiveAt": "2026-03-01", "postings": legs, "post": True}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]["id"]
    address = f"/api/journal-entries/{entry}/void"
    asks(lambda sent: ada.post(address, json=sent), {"reason": "Wrong", "effectiveAt": FAR}, 200)


def test_a_document_and_its_settlement_ask(ada, bank, books):
    bill = filed(ada, documentType="BILL", sender="Mill", issuedOn=FAR, total="80.00")
    body = {"accountId": bank.account("Paper"), "post": True}
    asks(lambda sent: ada.post(f"/api/documents/{bill['id']}/entry", json=sent), body, 201)
    owe(ada, books, "80.00", account="Trade payables")
    parts = {"parts": [{"itemId": each["id"]} for each in items(ada)]}
    asks(lambda sent: ada.post("/api/settlements", json=sent), parts, 201)


def test_a_revaluation_asks(ada, bank, books):
    bank.quote("2058-02-28", "USD", "1.1")
    asks(lambda sent: ada.post("/api/revaluations", json=sent), {"asOf": FAR}, 200)


def test_a_lock_of_a_day_to_come_is_refused(ada):
    for day in (FAR, (date.today() + timedelta(days=3)).isoformat()):  # noqa: DTZ011  (far from midnight)
        refused = ada.put("/api/lock-date", json={"lockDate": day})
        assert (refused.status_code, refused.json["code"], list(refused.json["fields"])) == (
            422, "lock_ahead", ["lockDate"],
        )  # fmt: skip
    assert ada.put("/api/lock-date", json={"lockDate": "2026-03-31"}).status_code == 200


def test_bank_lines_of_any_day_stay(ada, bank):
    line = bank.send(FAR, "-5.00", "Later")
    ada.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Paper")})
    assert ada.post(f"/api/transactions/{line}/confirm").status_code == 200


def test_the_page_asks_too(ada, legs):
    body = {"effectiveAt": "2026-03-01", "postings": legs, "post": True}
    entry = ada.post("/api/journal-entries", json=body).json["entry"]["id"]
    pages = ada.browser()
    form = {"reason": "Wrong", "effectiveAt": FAR}
    refused = pages.post(f"/journal/{entry}/void", data=form)
    assert (refused.status_code, 'name="force" value="true"' in refused.text) == (409, True)
    assert pages.post(f"/journal/{entry}/void", data={**form, "force": "true"}).status_code == 303
