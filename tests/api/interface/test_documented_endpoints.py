"""The interface document's seven endpoints ignore what they do not know; all others refuse it by name."""

import os
from pathlib import Path

import pytest

from tests.contract.likenesses import Likeness
from tests.fixtures.helpers.marks import on_sqlite
from tests.security.addresses import addresses_of

SEVEN = {
    "GET /api/projects/<id:project_id>",
    "POST /api/projects/groups",
    "POST /api/automations/rules",
    "POST /api/transactions/<id:transaction_id>/confirm",
    "GET /api/journal-entries/<id:entry_id>",
    "GET /api/reconciliations/accounts",
    "POST /api/reconciliations/accounts/<id:fa_id>/abandon",
}
ANSWERS = Path(__file__).with_name("documented_answers.txt")
pytestmark = on_sqlite


def test_the_seven_are_marked_and_no_other(app):
    views = app.view_functions
    marked = {a.name for a in addresses_of(app) if getattr(views[a.endpoint], "is_documented", False)}
    assert marked == SEVEN


@pytest.fixture
def requests(ada, bank):
    """A request to each of the seven, with its good answer."""
    line = bank.send("2026-03-02", "1.00")
    entry = ada.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    rule = {"name": "A rule", "effects": [{"kind": "SET_CURRENCY", "currency": "EUR", "sortOrder": 1}]}
    return [
        ("GET", f"/api/projects/{bank.project('A project')}", None, 200),
        ("POST", "/api/projects/groups", {"name": "A group"}, 201),
        ("POST", "/api/automations/rules", rule, 201),
        ("POST", f"/api/transactions/{line}/confirm", {"note": "x"}, 200),
        ("GET", f"/api/journal-entries/{entry}", None, 200),
        ("GET", "/api/reconciliations/accounts", None, 200),
        ("POST", f"/api/reconciliations/accounts/{bank.fa_id}/abandon", {}, 200),
    ]


def test_their_answers_are_byte_for_byte_what_they_were(ada, requests):
    """Programs were written against them. RECORD_ANSWERS=1 writes them anew, for a change of the interface alone."""
    likeness, answers = Likeness(), []
    for method, path, body, _ in requests:
        answer = ada.ask(method, path, **({} if body is None else {"json": body}))
        answers.append(f"{method} {path}: {answer.status_code}\n{likeness.text(answer.text)}")
    written = "\n".join(answers)
    if os.environ.get("RECORD_ANSWERS"):
        ANSWERS.write_text(written)
    assert written == ANSWERS.read_text()


def test_what_other_calls_take_changes_nothing_unless_it_is_known(ada, requests):
    likeness = Likeness()
    for method, path, _, _ in requests:
        if method == "GET":
            plain = ada.get(path).text
            odd = ada.get(f"{path}?view=colours&include=colours&fields=colour,id").text
            assert likeness.text(odd) == likeness.text(plain), path


def test_they_ignore_what_they_do_not_know(ada, requests):
    for method, path, body, status in requests:
        more = {} if body is None else {"json": {**body, "organizationId": "x", "unknown": [{}]}}
        answer = ada.ask(method, f"{path}?unknown=1&organizationId=x", **more)
        assert answer.status_code == status, (path, answer.text)
        assert "x" not in answer.json.get("organizationId", "")


def test_all_others_refuse_a_parameter_that_they_do_not_know(app, ada):
    for address in addresses_of(app):
        if address.is_api and address.name not in SEVEN and not address.session_only:
            answer = ada.ask(address.method, f"{address.path()}?unknown=1", **address.options())
            assert answer.status_code == 422, (address.name, answer.status_code)
            # The protocol for models has it within its own shape of an error.
            refusal = answer.json if "fields" in answer.json else answer.json["error"]["data"]
            assert "unknown" in refusal["fields"], address.name
