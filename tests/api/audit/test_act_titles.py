"""Acts: what they are called, beyond the one of each address that tests/titles.txt lists, and how they are listed."""

import ast
import re
from urllib.parse import quote

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.tree import ROOT, parsed
from webapp.ledger.codes import ACT_KINDS, CALL_KINDS
from webapp.reference.api_calls import calls

NAME = "REWE Köln −45.20 EUR of 3 Nov"
ACT = re.compile(r"\b[Aa]ct\b")


@pytest.fixture
def line(bank):
    return bank.send("2026-11-03", "-45.20", "Purchase 4711", counterparty="REWE  Köln")


def title_of(answer):
    assert answer.status_code == 202, answer.json
    return answer.json["actionRequest"]["title"]


@on_sqlite
def test_an_edit_is_called_by_all_that_it_lets_a_line_say(ben, bank, line):
    food, fun = bank.account("Food"), bank.account("Fun")
    agent, path = ben.with_scopes("read", "propose"), f"/api/transactions/{line}"
    said = {"orgMerchantId": bank.merchant("Rewe"), "projectId": bank.project("Party")}
    split = [{"accountId": food, "amount": "-40.00"}, {"accountId": fun, "amount": "-5.20"}]
    titles = {
        title_of(agent.patch(path, json=body)): body
        for body in ({"accountId": food, **said}, said, {"splits": split}, {"description": "Cake"})
    }
    assert list(titles) == [
        f"Book {NAME} to Food, customer or supplier Rewe, project Party",
        f"Change {NAME}: customer or supplier Rewe, project Party",
        f"Split {NAME} among Food and Fun",
        f"Change {NAME}: description “Cake”",
    ]
    assert ben.patch(path, json={"splits": split}).status_code == 200
    assert title_of(agent.post(f"{path}/confirm")) == f"Confirm {NAME} as Food and Fun"


@on_sqlite
def test_a_correction_is_called_one(ben, bank, line):
    food, agent = bank.account("Food"), ben.with_scopes("read", "propose")
    path = f"/api/transactions/{line}"
    assert ben.post(f"{path}/confirm").status_code == 200
    edit = {"json": {"accountId": food}}
    assert title_of(agent.patch(path, **edit)) == f"Prepare a correction of {NAME} to Food"
    assert ben.patch(path, **edit).status_code == 200
    corrected = f"Confirm the correction of {NAME} from Uncategorised expenses to Food"
    assert title_of(agent.post(f"{path}/confirm")) == corrected
    project = {"projectId": bank.project("Party"), "orgMerchantId": bank.merchant("Rewe")}
    assert ben.patch(path, json=project).status_code == 200
    proposed = agent.post(f"{path}/confirm").json["actionRequest"]
    assert proposed["title"] == f"{corrected}, customer or supplier Rewe, project Party"
    (act,) = proposed["effect"]["acts"]
    assert act["title"] == proposed["title"]
    assert act["after"]["postings"][1]["accountId"] == food != act["before"]["postings"][1]["accountId"]


@on_sqlite
def test_what_is_refused_is_called_by_what_was_asked(ada, ben, bank, line):
    agent = ada.with_scopes("read", "propose")
    assert ben.delete(f"/api/transactions/{line}").status_code == 200
    confirm = agent.post(f"/api/transactions/{line}/confirm")
    assert (confirm.status_code, confirm.json["code"]) == (409, "deleted")
    complete = agent.post(f"/api/reconciliations/accounts/{bank.fa_id}/complete", json={})
    assert (complete.status_code, complete.json["code"]) == (409, "no_draft")
    refused = agent.get("/api/action-requests?status=FAILED").json["actionRequests"]
    assert [each["title"] for each in refused] == [
        "Completed the statement of Main account",
        f"Confirmed {NAME}",
    ]


@on_sqlite
def test_a_title_names_nothing_of_other_books(ben, dan, bank, line):
    theirs = dan.post("/api/accounts", json={"name": "Hush money", "type": "EXPENSE"}).json["account"]["id"]
    refused = ben.patch(f"/api/transactions/{line}", json={"accountId": theirs})
    assert refused.status_code == 422
    acts = ben.get("/api/action-requests").json["actionRequests"]
    assert acts[0]["title"] == f"Booked {NAME} to an unknown account"


@on_sqlite
def test_a_change_of_fields_is_called_by_each(ada, bank):
    office, food = bank.account("Office"), bank.account("Food")
    agent = ada.with_scopes("read", "propose")
    changes = {"name": "Desk", "code": "6810", "parentId": office, "isArchived": True, "emoji": None}
    asked = agent.patch(f"/api/accounts/{food}", json=changes)
    assert title_of(asked) == "Rename the account Food to Desk: code 6810, parent Office, archived"


def listed(person, query):
    answer = person.get(f"/api/action-requests?{query}")
    assert answer.status_code == 200, answer.json
    return [(act["kind"], act["target"]["id"]) for act in answer.json["actionRequests"]]


def test_acts_are_found_by_actor_target_and_instant(ada, ben, bank):
    first, second = bank.send_many([("2026-03-02", "-1.00", "Tea"), ("2026-03-03", "-2.00", "Cake")])
    ada.patch(f"/api/transactions/{first}", json={"description": "Green tea"})
    begun = ada.get("/api/action-requests?limit=1").json["actionRequests"][0]["createdAt"]
    ben.patch(f"/api/transactions/{second}", json={"description": "Carrot cake"})
    ben.post(f"/api/transactions/{first}/confirm")
    assert listed(ben, "actor=me") == [
        ("confirm_transaction", str(first)),
        ("edit_transaction", str(second)),
    ]
    assert listed(ada, f"actor=TOKEN:{ben.token_id}") == listed(ben, "actor=me")
    assert listed(ada, f"target=transaction:{first}") == [
        ("confirm_transaction", str(first)),
        ("edit_transaction", str(first)),
    ]
    assert listed(ada, f"since={quote(begun)}&kind=edit_transaction")[0] == ("edit_transaction", str(second))
    assert listed(ada, "since=2199-01-01T00:00:00Z") == []


@on_sqlite
@pytest.mark.parametrize(
    "query", ["actor=ben", "actor=TOKEN:0", "target=12", "target=transaction", "since=yesterday"]
)
def test_what_names_none_is_refused(ada, query):
    refused = ada.get(f"/api/action-requests?{query}")
    assert (refused.status_code, list(refused.json["fields"])) == (422, [query.partition("=")[0]])


@on_sqlite
def test_a_kind_that_there_is_not_is_refused_with_those_there_are(ada):
    answer = ada.get("/api/action-requests?kind=confirm")
    assert (answer.status_code, list(answer.json["fields"])) == (422, ["kind"])
    assert "confirm_transaction" in answer.json["error"]


def kinds_of_acts():
    for path in (ROOT / "webapp").rglob("*.py"):
        # What names no act is not worth reading as a tree.
        is_told = ACT.search(path.read_text(encoding="utf-8"))
        for node in ast.walk(parsed(path.relative_to(ROOT))) if is_told else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) in {"act", "Act"}:
                yield from [each.value for each in node.args if isinstance(each, ast.Constant)][:1]


@on_sqlite
def test_the_kinds_of_the_filter_are_those_of_all_acts_and_calls(app):
    """Where this fails, webapp/ledger/codes.py lacks a kind, or has one too many."""
    assert {*ACT_KINDS} == {*kinds_of_acts()} - {"new"} | {"plan", "undo_agent", "undo_plan"}
    writes = [each for each in calls(app) if each.writes and not each.session_only]
    written = [each.endpoint for each in writes if not getattr(each.view, "is_secret", False)]
    assert {*CALL_KINDS} == {each.removeprefix("api_").replace(".", "_") for each in written}
