"""The lock date: closing a period over the API, what stands in its way, and what happens to it."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite

PATH = "/api/lock-date"


def close(person, day, **said):
    return person.put(PATH, json={"lockDate": day, **said})


@pytest.fixture
def train(bank):
    return bank.send("2026-03-10", "-42.80", "Train")


def entry_of(person, line):
    return person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]


def day_of(person, line):
    return person.get(f"/api/journal-entries/{entry_of(person, line)}").json["entry"]["effectiveAt"][:10]


def test_nothing_is_closed_at_first(ada):
    assert ada.get(PATH).json == {"lockDate": None}


def test_a_period_without_drafts_is_closed(ada, ben):
    answer = close(ada, "2026-03-31")
    assert (answer.status_code, answer.json) == (200, {"lockDate": "2026-03-31", "changed": True})
    assert ben.get(PATH).json == {"lockDate": "2026-03-31"}


def test_a_draft_in_the_period_refuses_it(ada, train):
    refused = close(ada, "2026-03-10")
    assert (refused.status_code, refused.json["code"]) == (409, "drafts_in_period")
    assert refused.json["details"] == {"count": 1}
    assert ada.get(PATH).json == {"lockDate": None}
    assert close(ada, "2026-03-09").status_code == 200


def test_drafts_move_to_the_first_open_day_where_that_is_asked(ada, train, books):
    assert close(ada, "2026-03-31", moveDrafts=True).status_code == 200
    assert day_of(ada, train) == "2026-04-01"
    assert ada.get(f"/api/transactions/{train}").json["transaction"]["bookedOn"] == "2026-03-10"


def test_a_draft_that_moved_keeps_the_rate_of_its_line(ada, bank):
    bank.open("Dollars", "USD")
    bank.quote("2026-03-10", "USD", "1.25")
    bank.quote("2026-04-01", "USD", "2")
    line = bank.send("2026-03-10", "-100.00")
    close(ada, "2026-03-31", moveDrafts=True)
    entry = ada.get(f"/api/journal-entries/{entry_of(ada, line)}").json["entry"]
    assert {posting["amountBase"] for posting in entry["postings"]} == {"-80.00", "80.00"}


def test_a_manual_draft_that_moved_is_mirrored_at_the_rate_of_its_new_day(ada, bank):
    bank.quote("2026-03-10", "USD", "1.25")
    bank.quote("2026-04-01", "USD", "2")
    debit, credit = bank.account("Fees"), bank.account("Owed", "LIABILITY")
    made = ada.post(
        "/api/journal-entries",
        json={
            "effectiveAt": "2026-03-10",
            "description": "A fee",
            "postings": [
                {"accountId": debit, "amount": "100.00", "currency": "USD"},
                {"accountId": credit, "amount": "-100.00", "currency": "USD"},
            ],
        },
    ).json["entry"]
    close(ada, "2026-03-31", moveDrafts=True)
    entry = ada.get(f"/api/journal-entries/{made['id']}").json["entry"]
    assert entry["effectiveAt"] == "2026-04-01T00:00:00Z"
    assert [posting["amountBase"] for posting in entry["postings"]] == ["50.00", "-50.00"]


def test_a_correction_marker_and_a_line_set_aside_do_not_stop_it(ada, bank, train):
    travel = bank.account("Travel")
    ada.post(f"/api/transactions/{train}/confirm")
    ada.patch(f"/api/transactions/{train}", json={"accountId": travel})
    old = bank.send("2026-02-01", "-9.00", "Before the books")
    bank.set_state(old, "SET_ASIDE")
    assert close(ada, "2026-03-31").status_code == 200
    assert day_of(ada, old) == "2026-02-01"


def test_moving_it_back_needs_a_reason(ada):
    close(ada, "2026-03-31")
    for day in ("2026-02-28", None):
        refused = close(ada, day)
        assert (refused.status_code, refused.json["code"]) == (422, "reason_needed")
        assert "reason" in refused.json["fields"]
    refused = close(ada, None, reason="A late invoice")
    assert (refused.status_code, refused.json["code"]) == (403, "person_needed")
    assert close(ada.browser(), None, reason="A late invoice").json == {"lockDate": None, "changed": True}


def test_a_key_that_proposes_to_open_a_period_is_answered_by_a_person(ada):
    close(ada, "2026-03-31")
    asked = close(ada.with_scopes("read", "propose"), "2026-02-28", reason="A late invoice")
    assert asked.status_code == 202
    proposal = asked.json["actionRequest"]["id"]
    digest = ada.get(f"/api/action-requests/{proposal}").json["actionRequest"]["digest"]
    done = ada.browser().post(f"/api/action-requests/{proposal}/approve", json={"digest": digest})
    assert done.status_code == 200, done.json
    assert ada.get(PATH).json == {"lockDate": "2026-02-28"}


def test_the_move_is_recorded_with_its_reason(ada, train):
    close(ada, "2026-03-31", moveDrafts=True)
    close(ada.browser(), "2026-02-28", reason="A late invoice")
    newest, first = ada.get("/api/action-requests").json["actionRequests"][:2]
    assert (newest["kind"], newest["note"]) == ("move_lock_date", "A late invoice")
    assert (newest["before"], newest["after"]) == (
        {"lockDate": "2026-03-31"},
        {"lockDate": "2026-02-28", "movedDrafts": 0},
    )
    moved = ada.get(f"/api/transactions/{train}").json["transaction"]["journalEntryId"]
    assert first["after"] == {
        "lockDate": "2026-03-31",
        "movedDrafts": 1,
        "movedJournalEntryIds": [moved],
    }


def test_the_same_day_again_records_nothing(ada):
    close(ada, "2026-03-31")
    before = ada.get("/api/action-requests").json["actionRequests"]
    assert close(ada, "2026-03-31").status_code == 200
    assert ada.get("/api/action-requests").json["actionRequests"] == before


@on_sqlite
@pytest.mark.parametrize("body", [{}, {"lockDate": "31.3.2026"}, {"lockDate": True}, {"day": "2026-03-31"}])
def test_a_body_that_names_no_day_is_refused(ada, body):
    assert ada.put(PATH, json=body).status_code == 422


def test_only_an_owner_moves_it(ben):
    assert close(ben, "2026-03-31").status_code == 403


def test_a_line_set_aside_that_comes_back_gets_an_open_day(ada, bank, desk):
    line = bank.send("2026-03-10", "-42.80", "Train")
    desk.put("2026-04-30", "0.00", keepAsNew=True, openingDate="2026-03-31", openingBalance="0.00")
    assert close(ada, "2026-03-31").status_code == 200
    desk.abandon()
    assert ada.get(f"/api/transactions/{line}").json["transaction"]["status"] == "BOOKED"
    assert day_of(ada, line) == "2026-04-01"


def test_the_page_says_what_stands_in_the_way_and_closes(ada, train):
    browser = ada.browser()
    form = {"lockDate": "2026-03-31"}
    refused = browser.post("/settings/lock-date", data=form)
    assert refused.status_code == 409
    assert "1 draft is dated on or before 31 Mar 2026" in refused.text
    assert 'value="31 Mar 2026"' in refused.text
    assert browser.post("/settings/lock-date", data={**form, "moveDrafts": "true"}).status_code == 303
    assert "Locked up to 31 Mar 2026" in browser.get("/settings/lock-date").text
    assert browser.post("/settings/lock-date", data={"lockDate": ""}).status_code == 422
