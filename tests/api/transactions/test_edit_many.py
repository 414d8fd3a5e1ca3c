"""Changing many lines at once: one result and one act for each, in the order asked."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.transfers import line_of
from webapp.services.transactions import bulk_edits


@pytest.fixture
def lines(bank):
    return bank.send_many([(f"2026-03-{day:02}", f"-{day}.00", f"Line {day}") for day in range(1, 6)])


@pytest.fixture
def rent(bank):
    return bank.account("Rent")


def edit(person, *changes):
    return person.patch("/api/transactions", json={"changes": list(changes)})


def test_each_line_changes_as_asked(ada, bank, lines, rent):
    project = bank.project("Shop")
    answer = edit(
        ada,
        {"id": lines[2], "accountId": rent},
        {"id": lines[0], "projectId": project, "description": "Paper"},
        {
            "id": lines[4],
            "splits": [{"accountId": rent, "amount": "-2.00"}, {"accountId": rent, "amount": "-3.00"}],
        },
    )
    assert answer.status_code == 200
    results = answer.json["results"]
    assert [result["id"] for result in results] == [lines[2], lines[0], lines[4]]
    assert {(result["status"], result["changed"], result["error"]) for result in results} == {
        ("EXECUTED", True, "")
    }
    assert [line_of(ada, line)["accountId"] for line in lines[2:]] == [
        rent,
        line_of(ada, lines[3])["accountId"],
        None,
    ]
    assert line_of(ada, lines[0])["projectId"] == project
    assert [result["result"]["journalEntryIds"] for result in results] == [
        [line_of(ada, line)["journalEntryId"]] for line in (lines[2], lines[0], lines[4])
    ]
    acts = ada.get("/api/action-requests?kind=edit_transaction").json["actionRequests"]
    assert {act["id"] for act in acts} == {result["actionRequestId"] for result in results}
    assert len(acts) == 3


def test_a_refused_one_says_why_and_stops_nobody(ada, bank, lines, rent):
    ada.delete(f"/api/transactions/{lines[1]}")
    results = edit(
        ada,
        {"id": lines[0], "accountId": rent},
        {"id": lines[1], "accountId": rent},
        {"id": 10**15, "accountId": rent},
        {"id": lines[2], "accountId": 10**15},
        {"id": lines[3], "description": "Half", "accountId": bank.ledger_account()},
        {"id": lines[3]},
        {"id": lines[4], "accountId": rent},
    ).json["results"]
    assert [result["status"] for result in results] == ["EXECUTED", *["FAILED"] * 5, "EXECUTED"]
    assert [result.get("code") for result in results] == [
        None,
        "deleted",
        "not_found",
        "unknown_reference",
        "use_transfers_account",
        "nothing_to_edit",
        None,
    ]
    assert all(result["error"].endswith(".") for result in results[1:6])
    half = line_of(ada, lines[3])
    entry = ada.get(f"/api/journal-entries/{half['journalEntryId']}").json["entry"]
    assert entry["description"] == "Line 4"
    failed = ada.get("/api/action-requests?status=FAILED").json["actionRequests"]
    assert len(failed) == 4
    assert bank.broken() == []


def test_posted_ones_get_their_markers(ada, lines, rent):
    for line in lines[:2]:
        ada.post(f"/api/transactions/{line}/confirm")
    first, second = edit(
        ada, {"id": lines[0], "accountId": rent}, {"id": lines[1], "description": "Another"}
    ).json["results"]
    assert first["result"]["journalEntryIds"] == [line_of(ada, lines[0])["correctionMarkerId"]]
    assert first["pendingChange"] == line_of(ada, lines[0])["pendingChange"]
    assert "from Uncategorised expenses to Rent" in first["pendingChange"]["message"]
    assert first["title"] == "Prepared a correction of Line 1 −1.00 EUR of 1 Mar to Rent"
    assert second["pendingChange"] is None
    assert second["code"] == "posted"
    before = line_of(ada, lines[0])["accountId"]
    (back,) = edit(ada, {"id": lines[0], "accountId": before}).json["results"]
    assert back["result"]["deletedJournalEntryIds"] == first["result"]["journalEntryIds"]
    (nothing,) = edit(ada, {"id": lines[0], "accountId": before}).json["results"]
    assert (nothing["changed"], nothing["actionRequestId"], nothing["status"]) == (False, None, "EXECUTED")


def test_lines_of_others_are_not_there(ada, dan, bank, lines):
    theirs = bank.of(dan).send("2026-03-01", "1.00", "Theirs")
    (refused,) = edit(ada, {"id": theirs, "description": "Mine"}).json["results"]
    assert refused["code"] == "not_found"
    assert line_of(dan, theirs)["description"] == "Theirs"


@on_sqlite
@pytest.mark.parametrize(
    "changes",
    [[], {}, None, [{}], [{"id": 0}], [{"id": "1"}], [{"id": 1, "status": "POSTED"}], [{"id": 1}] * 501],
    ids=lambda changes: str(changes)[:24],
)
def test_another_shape_is_refused_as_a_whole(ada, lines, changes):
    assert ada.patch("/api/transactions", json={"changes": changes}).status_code == 422
    assert ada.get("/api/action-requests?kind=edit_transaction").json["actionRequests"] == []


def test_as_many_as_fit_at_once(ada, bank, rent, rounds):
    count = rounds(50, bulk_edits.MOST_AT_ONCE)
    lines = bank.send_many([("2026-03-02", "1.00", f"Line {number}") for number in range(count)])
    answer = edit(ada, *({"id": line, "accountId": rent} for line in lines))
    assert [result["id"] for result in answer.json["results"]] == lines
    assert {result["changed"] for result in answer.json["results"]} == {True}


@on_sqlite
def test_more_than_others_may_wait_for_are_refused_with_the_number_that_fits(ada, lines, monkeypatch):
    monkeypatch.setattr(bulk_edits, "MOST_AT_ONCE", 2)
    answer = edit(ada, *({"id": line, "description": "Mine"} for line in lines[:3]))
    assert (answer.status_code, answer.json["code"]) == (422, "too_large")
    assert answer.json["details"] == {"count": 3, "most": 2}
    assert line_of(ada, lines[0])["description"] == "Line 1"
