"""What agents found small, and the note that any write may have: it is kept with each act and each proposal."""

import json

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.owed import keep_items, owe
from tests.mcp.clients import Model
from webapp.errors import SERVER_REFUSALS, server_refusal
from webapp.ledger.texts.legible import masked

SECRET = "tie_" + "a1B2c3D4" * 4


def test_a_dry_run_uses_up_no_key(ben, bank):
    line = bank.send("2026-10-02", "-4.00", "Tea")
    place, once = f"/api/transactions/{line}/confirm", {"headers": {"Idempotency-Key": "once"}}
    for _ in range(2):
        tried = ben.post(f"{place}?dryRun=true", json={}, **once)
        assert (tried.status_code, tried.json["dryRun"]) == (200, True)
    done = ben.post(place, json={}, **once)
    assert (done.status_code, done.json["changed"]) == (200, True)
    assert ben.post(place, json={}, **once).headers["Idempotency-Replayed"] == "true"


@on_sqlite
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('{"name": "Tea", "name": "Cake"}', "an object has the key 'name' twice"),
        ('{"name": "Tea", "website": {"a": 1, "a": 2}}', "an object has the key 'a' twice"),
        ("[" * 100_000, "nested more than"),
        ('{"name": ' + "[" * 200 + "]" * 200 + "}", "nested more than"),
    ],
)
def test_a_body_that_says_two_things_or_is_bottomless_is_400(ada, body, words):
    answer = ada.post("/api/merchants", data=body, content_type="application/json")
    assert (answer.status_code, answer.json["code"]) == (400, "bad_request")
    assert words in answer.json["error"]
    assert ada.get("/api/merchants").json["merchants"] == []


def test_a_merchant_of_a_name_that_is_there_warns(ada):
    made = ada.post("/api/merchants", json={"name": "Acme"})
    assert "warnings" not in made.json
    again = ada.post("/api/merchants", json={"name": "ACME"})
    (warning,) = again.json["warnings"]
    assert warning.startswith(
        f"A merchant of this name is there already: Acme ({made.json['merchant']['id']})."
    )
    agent = ada.with_scopes("read", "propose")
    waiting = agent.post("/api/merchants", json={"name": "acme"}).json["actionRequest"]
    assert len(waiting["effect"]["warnings"]) == 2
    other = ada.post("/api/merchants", json={"name": "Fjord"}).json["merchant"]["id"]
    renamed = ada.patch(f"/api/merchants/{other}", json={"name": " acme "}).json
    assert (len(renamed["warnings"]), renamed["warningCodes"]) == (2, ["same_name"] * 2)
    assert "warnings" not in ada.patch(f"/api/merchants/{other}", json={"termsDays": 14}).json
    page = ada.browser().post("/merchants", data={"name": "Acme"}, follow_redirects=True)
    assert "A merchant of this name is there already: Acme" in page.text


@pytest.mark.parametrize("stated", ["7500.00", "-7500.00", "7499.99"])
def test_a_pushed_balance_of_a_hundred_times_the_books_warns(ada, bank, stated):
    fa_id = bank.open("Card", "EUR")
    row = {"providerTransactionId": "P1", "bookedOn": "2026-03-20", "amount": "75.00", "currency": "EUR"}
    row |= {"pending": False, "description": "Sale"}
    body = {"batchId": "1", "added": [row], "balance": {"amount": stated, "asOf": "2026-03-20"}}
    answer = ada.post(f"/api/feeds/accounts/{fa_id}/transactions", json=body).json
    assert answer.get("warningCodes", []) == ([] if stated == "7499.99" else ["far_balance"])
    assert [each for each in answer.get("warnings", ()) if "books have, 75.00 EUR" not in each] == []


def test_a_key_in_a_note_is_masked_before_it_is_kept(ben, bank):
    first, second, third = bank.send_many(
        [("2026-10-02", "-4.00", "Tea"), ("2026-10-03", "-5.00", "Cake"), ("2026-10-04", "-6.00", "Gum")]
    )
    agent, note = ben.with_scopes("read", "propose"), {"note": f"I used {SECRET} for it"}
    assert ben.post(f"/api/transactions/{first}/confirm", json=note).status_code == 200
    assert agent.post(f"/api/transactions/{second}/confirm", json=note).status_code == 202
    step = {"method": "POST", "path": f"/api/transactions/{third}/confirm", "body": note}
    for person in (agent, ben):
        sent = person.post("/api/plans", json={"title": "A plan", "steps": [step], **note})
        assert sent.status_code in {200, 202}, sent.json
    told = [
        ben.get("/api/action-requests?limit=200").json,
        ben.get("/api/events?include=body&limit=200").json,
    ]
    for each in told:
        text = json.dumps(each, ensure_ascii=False)
        assert "I used tie_… for it" in text
        assert SECRET not in text
    assert masked("a tie_ is worn") == "a tie_ is worn"


def test_the_tools_take_ids_by_the_names_that_they_answer(ben, bank):
    model, line = Model(ben), bank.send("2026-10-02", "-40.00", "Fuel")
    bank.account("Food")
    done = model.call("categorise_lines", lines=[{"lineId": line, "category": "Food"}])
    assert done["status"] == "EXECUTED"
    assert model.call("confirm_lines", lineIds=[line])["status"] == "EXECUTED"
    wrong = model.refusal(
        "categorise_lines", lines=[{"lineId": line, "splits": [{"category": "Food", "amount": -4}]}]
    )
    assert 'Send an amount as text, with the digits of its currency: "-12.50".' in wrong


def test_the_ages_are_those_of_the_party_and_of_what_is_overdue(ada, ben, bank, books):
    keep_items(ada, books.account_id("Trade receivables"))
    acme, other = bank.merchant("Acme"), bank.merchant("Other")
    owe(ada, books, "100.00", acme, dueOn="2026-03-31")
    owe(ada, books, "40.00", acme, dueOn="2099-12-31")
    owe(ada, books, "7.00", other, dueOn="2026-03-31")
    model = Model(ben)

    def total(**asked):
        found = model.call("find_owed", **asked)
        assert found["asOf"] == ben.get("/api/me").json["me"]["organization"]["today"]
        return found["ages"][-1]["amount"]

    assert total() == "147.00 EUR"
    assert total(party="Acme") == "140.00 EUR"
    assert total(party="Acme", overdue=True) == "100.00 EUR"
    assert total(overdue=True) == "107.00 EUR"


@pytest.mark.parametrize("code", SERVER_REFUSALS)
def test_what_the_server_refuses_is_an_error_of_the_protocol_to_a_model(code):
    refused = server_refusal({"HTTP_TIEOUT_REFUSAL": code, "PATH_INFO": "/mcp"})
    error = refused.json["error"]
    assert (refused.status_code, refused.json["jsonrpc"]) == (SERVER_REFUSALS[code][0], "2.0")
    assert (error["message"], error["data"]) == (SERVER_REFUSALS[code][1], {"code": code})
    plain = server_refusal({"HTTP_TIEOUT_REFUSAL": code, "PATH_INFO": "/api/me"})
    assert plain.json["code"] == code


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
