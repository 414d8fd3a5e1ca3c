"""Clearing items each by itself: one result for each, in the order of the lists."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite


@pytest.fixture
def lines(bank, desk):
    lines = bank.send_many([(f"2026-10-{day:02}", f"{day}.00", f"Line {day}") for day in (1, 2, 3)])
    late = bank.send("2026-11-02", "9.00", "Late")
    desk.confirm(*lines)
    assert desk.put("2026-10-31", "6.00").status_code == 200
    return [*lines, late]


def test_each_says_what_became_of_it(bank, desk, lines):
    desk.clear(cleared=[lines[2]])
    bank.open("Card")
    other = bank.at(bank.fa_id).send("2026-10-01", "1.00")
    bank.fa_id -= 1
    answer = desk.clear(
        cleared=[lines[1], lines[3], 10**15, lines[0]],
        uncleared=[lines[2], other],
        clearedEntries=[10**15],
        oneByOne=True,
    )
    assert answer.status_code == 200, answer.json
    results = answer.json["results"]
    assert [(result["path"], result["id"], result["status"], result.get("code")) for result in results] == [
        ("cleared.0", lines[1], "EXECUTED", None),
        ("cleared.1", lines[3], "FAILED", "after_statement"),
        ("cleared.2", 10**15, "FAILED", "unknown_reference"),
        ("cleared.3", lines[0], "EXECUTED", None),
        ("uncleared.0", lines[2], "EXECUTED", None),
        ("uncleared.1", other, "FAILED", "no_item"),
        ("clearedEntries.0", 10**15, "FAILED", "unknown_reference"),
    ]
    assert answer.json["account"]["draft"]["clearedBalance"] == "3.00"
    executed = [result["actionRequestId"] for result in results if result["status"] == "EXECUTED"]
    acts = desk.person.get("/api/action-requests?kind=clear_reconciliation_items").json["actionRequests"]
    assert {act["id"] for act in acts if act["status"] == "EXECUTED"} >= set(executed)
    assert len(set(executed)) == 3


def test_what_is_cleared_already_changes_nothing(desk, lines):
    desk.clear(cleared=lines[:1])
    (result,) = desk.clear(cleared=lines[:1], oneByOne=True).json["results"]
    assert (result["status"], result["changed"], result["actionRequestId"]) == ("EXECUTED", False, None)


def test_all_or_nothing_is_as_it_was(desk, lines):
    refused = desk.clear(cleared=[lines[0], lines[3]])
    assert (refused.status_code, refused.json["code"]) == (422, "after_statement")
    assert "results" not in desk.clear(cleared=[lines[0]]).json


def test_the_draft_that_was_seen_is_asked_for_once(desk, lines):
    version = desk.account()["draft"]["version"]
    answer = desk.clear(cleared=lines[:2], version=version, oneByOne=True)
    assert [result["changed"] for result in answer.json["results"]] == [True, True]
    stale = desk.clear(uncleared=lines[:2], version=version, oneByOne=True)
    assert (stale.status_code, stale.json["code"]) == (409, "stale_version")
    desk.abandon()
    assert desk.clear(cleared=lines[:1], oneByOne=True).json["code"] == "no_draft"


@on_sqlite
@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"auto": True}, "nothing_to_clear"),
        ({}, "nothing_to_clear"),
        ({"cleared": [1] * 300, "uncleared": [1] * 201}, "too_many"),
        ({"cleared": [1], "oneByOne": "true"}, "validation"),
    ],
)
def test_what_names_no_items_is_refused(desk, lines, body, code):
    answer = desk.clear(**{"oneByOne": True, **body})
    assert (answer.status_code, answer.json["code"]) == (422, code)
