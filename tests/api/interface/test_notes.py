"""Every write may say why: the note is kept with each act of the call, and with the proposal that it waits as."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@pytest.fixture
def line(bank):
    return bank.send("2026-03-02", "-42.31", "Tea")


def notes(person, kind):
    acts = person.get(f"/api/action-requests?kind={kind}").json["actionRequests"]
    return [act["note"] for act in acts]


def test_a_change_says_why(ada, bank, line):
    food = bank.account("Food")
    assert (
        ada.patch(f"/api/transactions/{line}", json={"accountId": food, "note": "Tea is food"}).status_code
        == 200
    )
    changes = [{"id": line, "description": "Green tea"}]
    assert (
        ada.patch("/api/transactions", json={"changes": changes, "note": "As the bill says"}).status_code
        == 200
    )
    assert notes(ada, "edit_transaction") == ["As the bill says", "Tea is food"]
    assert ada.delete(f"/api/transactions/{line}?note=Twice").status_code == 200
    assert notes(ada, "delete_transaction") == ["Twice"]
    assert ada.post("/api/merchants?note=New", json={"name": "Tea shop"}).status_code == 201
    assert notes(ada, "create_merchant") == ["New"]


def test_a_proposal_keeps_it_until_it_is_executed(ada, bank, line):
    agent = ada.with_scopes("read", "propose")
    for path, options in (
        (f"/api/transactions/{line}", {"json": {"accountId": bank.account("Food"), "note": "Tea is food"}}),
        (f"/api/transactions/{line}?note=Green", {"json": {"description": "Green tea"}}),
    ):
        waiting = agent.patch(path, **options).json["actionRequest"]
        assert waiting["note"] == options["json"].get("note", "Green")
        body = {"digest": waiting["digest"]}
        decided = ada.browser().post(f"/api/action-requests/{waiting['id']}/approve", json=body)
        assert (decided.status_code, decided.json["actionRequest"]["status"]) == (200, "EXECUTED")
    assert notes(ada, "edit_transaction") == ["Green", "Tea is food"]


@on_sqlite
def test_the_same_call_with_another_note_is_no_second_proposal(ada, bank, line):
    agent = ada.with_scopes("read", "propose")
    body = {"accountId": bank.account("Food")}
    for path, note in ((f"/api/transactions/{line}", "Tea"), (f"/api/transactions/{line}?note=Green", None)):
        assert agent.patch(path, json=body | ({"note": note} if note else {})).status_code == 202
    assert agent.patch(f"/api/transactions/{line}", json=body).status_code == 202
    (waiting,) = ada.get("/api/action-requests?status=PENDING").json["actionRequests"]
    assert waiting["kind"] == "edit_transaction"


@on_sqlite
def test_the_interface_documents_calls_take_one_and_ignore_what_is_none(ada, bank, line):
    effects = [{"kind": "SET_CURRENCY", "currency": "USD", "sortOrder": 0}]
    for note, kept in (("Dollars", "Dollars"), (7, ""), ("x" * 2001, "")):
        made = ada.post("/api/automations/rules", json={"name": "Rule", "effects": effects, "note": note})
        assert made.status_code == 201
        assert made.json["ignored"] == ([] if kept else ["note"])
        assert notes(ada, "create_rule")[0] == kept
    assert ada.post(f"/api/transactions/{line}/confirm?note=Seen").status_code == 200
    assert notes(ada, "confirm_transaction") == ["Seen"]


@on_sqlite
@pytest.mark.parametrize(
    ("note", "sentence"), [(7, "Send text, in quotes."), ("x" * 2001, "Write at most 2000 characters.")]
)
def test_what_is_no_note_is_refused(ada, line, note, sentence):
    refused = ada.patch(f"/api/transactions/{line}", json={"description": "x", "note": note})
    assert (refused.status_code, refused.json["fields"]) == (422, {"note": [sentence]})
    assert ada.get("/api/transactions?note=x").status_code == 422
