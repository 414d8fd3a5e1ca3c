"""Acts are listed by who did them, what they are about, and since when."""

import ast
import re
from urllib.parse import quote

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.tree import ROOT, parsed
from webapp.ledger.codes import ACT_KINDS, CALL_KINDS
from webapp.reference.api_calls import calls

ACT = re.compile(r"\b[Aa]ct\b")


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
    written = [each.endpoint for each in calls(app) if each.writes and not each.session_only]
    assert {*CALL_KINDS} == {each.removeprefix("api_").replace(".", "_") for each in written}
