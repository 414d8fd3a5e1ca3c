"""Confirming many lines at once: one result and one act for each, in the order asked."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.services.transactions import lifecycle


@pytest.fixture
def lines(bank):
    return bank.send_many([(f"2026-03-{day:02}", f"{day}.00", f"Line {day}") for day in range(1, 6)])


def confirm(person, ids, **more):
    return person.post("/api/transactions/confirm", json={"ids": ids, **more})


def test_each_is_confirmed_in_the_order_asked(ada, lines):
    order = [lines[index] for index in (3, 0, 4)]
    answer = confirm(ada, order, note="all of March")
    assert answer.status_code == 200
    results = answer.json["results"]
    assert [result["id"] for result in results] == order
    assert {(result["status"], result["changed"], result["error"]) for result in results} == {
        ("EXECUTED", True, "")
    }
    assert len({result["actionRequestId"] for result in results}) == 3
    acts = ada.get("/api/action-requests?kind=confirm_transaction").json["actionRequests"]
    assert {act["note"] for act in acts} == {"all of March"}
    assert [act["id"] for act in acts] == [result["actionRequestId"] for result in reversed(results)]


def test_a_refused_one_says_why_and_stops_nobody(ada, bank, lines):
    bank.set_state(lines[1], "PENDING")
    results = confirm(ada, [lines[0], lines[1], 10**15, lines[2]]).json["results"]
    assert [result["status"] for result in results] == ["EXECUTED", "FAILED", "FAILED", "EXECUTED"]
    assert results[1]["error"].startswith("The bank may still change this line.")
    assert (results[1]["code"], results[2]["code"]) == ("pending", "not_found")
    assert results[2]["error"] == "There is nothing here."
    assert [result["changed"] for result in results] == [True, False, False, True]
    failed = ada.get("/api/action-requests?status=FAILED").json["actionRequests"]
    assert [act["id"] for act in failed] == [results[1]["actionRequestId"]]
    assert ada.get("/api/transactions?entryStatus=POSTED").json["transactions"][0]["id"] == lines[2]


def test_the_same_line_twice_changes_once(ada, lines):
    first, second = confirm(ada, [lines[0], lines[0]]).json["results"]
    assert (first["changed"], second["changed"]) == (True, False)
    assert first["actionRequestId"] == second["actionRequestId"]


def test_a_refused_one_leaves_nothing_half_done(ada, bank, lines):
    """The account asks for a merchant: its line is looked at, refused, and left as it was."""
    fussy = bank.account("Guests", requires_counterparty=True)
    ada.patch(f"/api/transactions/{lines[0]}", json={"accountId": fussy})
    assert confirm(ada, lines[:2]).json["results"][0]["code"] == "counterparty_required"
    line = ada.get(f"/api/transactions/{lines[0]}").json["transaction"]
    assert (line["entryStatus"], line["accountId"]) == ("DRAFT", fussy)


@on_sqlite
@pytest.mark.parametrize(
    "ids",
    [[], [0], ["1"], [True], [2**63], [1.0], None, {}, "1", list(range(1, 502))],
    ids=lambda ids: str(ids)[:20],
)
def test_ids_of_another_shape_are_refused(ada, ids):
    assert confirm(ada, ids).status_code == 422


def test_unknown_keys_are_refused(ada, lines):
    answer = confirm(ada, lines, force=True)
    assert "the valid ones are: ids, note" in answer.json["error"]


def test_a_long_list_at_once(ada, bank, rounds):
    count = rounds(50, lifecycle.MOST_LINES)
    lines = bank.send_many([("2026-03-02", "1.00", f"Line {number}") for number in range(count)])
    assert {result["changed"] for result in confirm(ada, lines).json["results"]} == {True}


@on_sqlite
@pytest.mark.parametrize("query", ["", "?dryRun=true"])
def test_more_than_others_may_wait_for_are_refused_with_the_number_that_fits(ada, lines, query, monkeypatch):
    monkeypatch.setattr(lifecycle, "MOST_LINES", 2)
    answer = ada.post(f"/api/transactions/confirm{query}", json={"ids": lines})
    assert (answer.status_code, answer.json["code"]) == (422, "too_large")
    assert answer.json["details"] == {"count": 5, "most": 2}
    assert answer.json["error"] == (
        "5 lines are more than the 2 that can be confirmed at once. Confirm them in parts."
    )


@on_sqlite
def test_fewer_corrections_fit_than_drafts(ada, bank, lines, monkeypatch):
    monkeypatch.setattr(lifecycle, "MOST_CORRECTIONS", 1)
    assert confirm(ada, lines).status_code == 200
    other = bank.account("Other")
    for line in lines[:2]:
        ada.patch(f"/api/transactions/{line}", json={"accountId": other})
    answer = confirm(ada, lines)
    assert answer.json["details"] == {"count": 2, "most": 1}
    assert answer.json["error"].startswith("2 corrections are more than the 1 that can be confirmed at once.")
    assert confirm(ada, lines[1:]).status_code == 200
