"""Deleting a line takes it and its draft out; restoring brings it back with a fresh one."""

import pytest


def line_of(person, line):
    return person.get(f"/api/transactions/{line}").json["transaction"]


def test_a_deleted_line_has_no_draft_and_is_remembered(ada, train, books):
    draft = line_of(ada, train)["journalEntryId"]
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json) == (200, {"ok": True, "changed": True})
    line = line_of(ada, train)
    assert (line["status"], line["journalEntryId"], line["entryStatus"]) == ("DELETED", None, None)
    assert ada.get(f"/api/journal-entries/{draft}").status_code == 404
    assert books.entries() == []


def test_a_restored_line_has_a_fresh_draft(ada, train):
    ada.delete(f"/api/transactions/{train}")
    line = ada.post(f"/api/transactions/{train}/restore").json["transaction"]
    assert (line["status"], line["entryStatus"]) == ("BOOKED", "DRAFT")
    assert ada.post(f"/api/transactions/{train}/confirm").json["changed"] is True


def test_a_posted_line_stays(ada, train):
    ada.post(f"/api/transactions/{train}/confirm")
    entry_id = line_of(ada, train)["journalEntryId"]
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json["code"]) == (409, "posted")
    assert f"Void entry {entry_id} first" in answer.json["error"]


@pytest.mark.parametrize("state", ["PENDING", "REMOVED", "SET_ASIDE"])
def test_only_booked_lines_are_deleted(ada, bank, train, state):
    bank.set_state(train, state)
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json["code"]) == (409, state.lower())


def test_a_line_in_the_books_is_not_restored_and_a_deleted_one_not_deleted(ada, train):
    answer = ada.post(f"/api/transactions/{train}/restore")
    assert (answer.status_code, answer.json["changed"]) == (200, False)
    assert answer.json["transaction"]["status"] == "BOOKED"
    ada.delete(f"/api/transactions/{train}")
    answer = ada.delete(f"/api/transactions/{train}")
    assert (answer.status_code, answer.json) == (200, {"ok": True, "changed": False, "waiting": []})
