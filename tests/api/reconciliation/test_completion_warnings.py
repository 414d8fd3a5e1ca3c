"""Completing warns about outstanding items that equal the opening balance or are old, and completes all the same."""

import re

import pytest


@pytest.fixture
def write(ada, bank):
    def post(day, amount):
        accounts = ((bank.ledger_account(), amount), (bank.role("opening_balances"), f"-{amount}"))
        postings = [{"accountId": each, "amount": part, "currency": "EUR"} for each, part in accounts]
        body = {"effectiveAt": day, "postings": postings, "post": True}
        answer = ada.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["entry"]["id"]

    return post


@pytest.fixture
def opened_twice(bank, desk, write):
    """An account kept as new from 31 December, whose trial balance of 1 January has its opening too; a draft of it."""
    bank.open()
    line = bank.send("2026-01-05", "-40.00")
    desk.confirm(line)
    write("2026-01-01", "1000.00")
    desk.put("2026-01-31", "960.00", keepAsNew=True, openingDate="2025-12-31", openingBalance="1000.00")
    desk.clear(cleared=[line])


def shown(person, fa_id):
    """Read what the page warns about beside the draft."""
    text = person.browser().get(f"/feeds/{fa_id}").text
    notes = re.findall(r'is-warn" role="status">.*?<span>(.*?)</span>', text, re.DOTALL)
    return [" ".join(each.split()) for each in notes]


def codes(answer):
    assert answer.status_code == 200, answer.json
    return [each["code"] for each in answer.json["warnings"]]


def test_an_opening_that_came_twice_is_warned_about_and_can_be_completed(ada, bank, desk, opened_twice):
    trial = desk.person.post(f"{desk.path}/complete", query_string={"dryRun": "true"}, json={})
    (found,) = trial.json["answer"]["warnings"]
    assert found == {
        "code": "opening_twice",
        "message": "An item of 1 Jan 2026 that is on no statement is 1,000.00 EUR, the same as the opening balance:"
        " the opening may be in the books twice. If it is, void this entry.",
        "count": 1,
        "sum": "1000.00",
        "oldestOn": "2026-01-01",
    }
    assert shown(ada, bank.fa_id) == [found["message"]]
    answer = desk.complete()
    assert answer.json["warnings"] == [found]
    assert desk.account()["status"] == "reconciled"


def test_the_next_statement_still_warns_about_the_first_opening(bank, desk, opened_twice):
    desk.complete()
    line = bank.send("2026-02-05", "-10.00")
    desk.confirm(line)
    desk.put("2026-02-28", "950.00")
    desk.clear(cleared=[line])
    assert codes(desk.complete()) == ["opening_twice", "old_items"]


def test_parts_that_come_to_the_opening_are_warned_about_together(bank, desk, write):
    bank.open()
    line = bank.send("2026-01-05", "-40.00")
    desk.confirm(line)
    for part in ("600.00", "400.00"):
        write("2026-01-01", part)
    desk.put("2026-01-31", "960.00", keepAsNew=True, openingDate="2025-12-31", openingBalance="1000.00")
    desk.clear(cleared=[line])
    (found,) = desk.complete().json["warnings"]
    assert (found["code"], found["count"], found["sum"]) == ("opening_twice", 2, "1000.00")


@pytest.mark.parametrize(("day", "warned"), [("2026-09-18", ["old_items"]), ("2026-09-19", [])])
def test_items_more_than_six_weeks_older_than_the_statement_are_warned_about(bank, desk, write, day, warned):
    bank.open()
    line = bank.send("2026-10-05", "50.00")
    desk.confirm(line)
    write(day, "7.00")
    desk.put("2026-10-31", "50.00")
    desk.clear(cleared=[line])
    assert codes(desk.complete()) == warned


def test_the_page_does_not_warn_while_lines_are_still_being_cleared(ada, bank, desk):
    desk.confirm(bank.send("2026-01-05", "50.00"))
    desk.put("2026-10-31", "50.00")
    assert shown(ada, bank.fa_id) == []
    desk.clear(auto=True)
    assert shown(ada, bank.fa_id) == []
    assert codes(desk.complete()) == []
