"""What any list and any read may be asked: only some keys, a count, and only what changed since."""

from urllib.parse import quote

import pytest

from tests.marks import on_sqlite
from webapp.db import db

LINES = "/api/transactions"


@pytest.fixture
def lines(bank):
    return bank.send_many(
        [("2026-03-02", "-5.00", "Tea"), ("2026-03-03", "-6.00", "Cake"), ("2026-03-04", "9.00", "Sale")]
    )


def test_a_list_sends_only_the_keys_that_were_asked_for(ada, lines):
    answer = ada.get(f"{LINES}?fields=id,amount&limit=2")
    assert answer.json["transactions"] == [
        {"id": lines[2], "amount": "9.00"},
        {"id": lines[1], "amount": "-6.00"},
    ]
    assert answer.json["nextCursor"]
    assert answer.json["untrusted"] == []
    assert "X-Untrusted-Fields" not in answer.headers


def test_a_record_sends_only_the_keys_that_were_asked_for(ada, lines):
    answer = ada.get(f"{LINES}/{lines[0]}?fields=description,status")
    assert answer.json["transaction"] == {"status": "BOOKED", "description": "Tea"}
    assert answer.headers["X-Untrusted-Fields"] == "transaction.description"


@pytest.mark.parametrize("asked", ["colour", "id,", "", "id,colour"])
@on_sqlite
def test_a_key_that_no_record_has_is_refused_with_the_valid_ones(ada, lines, asked):
    answer = ada.get(f"{LINES}?fields={asked}")
    assert (answer.status_code, answer.json["code"]) == (422, "validation")
    assert "bookedOn" in answer.json["fields"]["fields"][0]


def test_the_documented_endpoints_answer_unchanged_and_may_be_asked_for_less(ada, bank):
    project = bank.project("Roof")
    whole = ada.get(f"/api/projects/{project}")
    assert whole.json.keys() == {"project"}
    assert ada.get(f"/api/projects/{project}?fields=name").json == {"project": {"name": "Roof"}}
    assert ada.get(f"/api/projects/{project}?colour=red").json == whole.json
    assert ada.get(f"/api/projects/{project}?fields=colour").status_code == 422


def test_a_list_counts_what_its_filters_leave_on_every_page(ada, lines):
    first = ada.get(f"{LINES}?count=true&limit=1&to=2026-03-03").json
    assert (len(first["transactions"]), first["total"]) == (1, 2)
    second = ada.get(f"{LINES}?count=true&limit=1&to=2026-03-03&cursor={first['nextCursor']}").json
    assert second["total"] == 2
    assert "total" not in ada.get(f"{LINES}?count=false").json
    assert ada.get(f"{LINES}?count=yes").json["fields"] == {"count": ["Send true or false."]}


def now(ada):
    """Tell the instant of the latest act, as a program that synchronises would keep it."""
    return quote(ada.get("/api/action-requests?limit=1").json["actionRequests"][0]["createdAt"])


def changed(ada, instant, key="transactions", path=LINES):
    return [each["id"] for each in ada.get(f"{path}?updatedSince={instant}&fields=id").json[key]]


def test_only_what_changed_since_an_instant(ada, lines):
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    instant = now(ada)
    assert changed(ada, instant) == [lines[0]]
    confirmed = ada.post(f"{LINES}/{lines[1]}/confirm").json["result"]["journalEntryIds"]
    assert changed(ada, instant) == [lines[1], lines[0]]
    assert set(confirmed) < set(changed(ada, instant, "entries", "/api/journal-entries"))
    later = now(ada)
    ada.post(f"/api/journal-entries/{confirmed[0]}/void", json={"reason": "Wrong"})
    assert confirmed[0] in changed(ada, later, "entries", "/api/journal-entries")
    assert changed(ada, "2199-01-01T00:00:00Z") == []


@pytest.mark.parametrize(
    "instant", ["yesterday", "2026-03-01", "2026-03-01T09:30:00", "2026-02-30T00:00:00Z", ""]
)
@on_sqlite
def test_an_instant_needs_its_zone(ada, instant):
    answer = ada.get(f"{LINES}?updatedSince={instant}")
    assert answer.json["fields"] == {"updatedSince": ["Write an instant like 2026-03-01T09:30:00Z."]}


@pytest.mark.parametrize("path", [LINES, "/api/journal-entries"])
@on_sqlite
def test_what_hangs_on_records_is_looked_up_once_for_all_of_them(ada, bank, lines, statements, path):
    with statements() as sent:
        ada.get(f"{path}?updatedSince=2026-03-01T09:30:00Z")
    (listing,) = [each for each in sent if "updated_at >=" in each]
    plan = bank.ask(
        lambda: (
            db.session.connection()
            .exec_driver_sql(f"EXPLAIN QUERY PLAN {listing}", (0,) * listing.count("?"))
            .all()
        )
    )
    assert not [row for row in plan if "CORRELATED" in row[-1]]


ENTRIES = "/api/journal-entries"


def draft_of(ada, line):
    return ada.get(f"{LINES}/{line}").json["transaction"]["journalEntryId"]


def test_a_draft_that_a_rate_mirrors_anew_has_changed(ada, bank, lines):
    bank.open("Dollars", "USD")
    sale = bank.send("2026-03-02", "10.00", "Sale")
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    instant = now(ada)
    rate = {"day": "2026-03-02", "currency": "USD", "unitsPerBase": "1.25"}
    assert ada.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    assert sale in changed(ada, instant)
    assert draft_of(ada, sale) in changed(ada, instant, "entries", ENTRIES)


def test_a_draft_that_a_lock_moves_has_changed(ada, lines):
    ada.patch(f"{LINES}/{lines[1]}", json={"description": "Green tea"})
    instant = now(ada)
    body = {"lockDate": "2026-03-02", "moveDrafts": True}
    assert ada.put("/api/lock-date", json=body).status_code == 200
    assert lines[0] in changed(ada, instant)
    assert draft_of(ada, lines[0]) in changed(ada, instant, "entries", ENTRIES)


def test_a_line_whose_correction_is_discarded_has_changed(ada, bank, lines):
    ada.post(f"{LINES}/{lines[1]}/confirm")
    ada.patch(f"{LINES}/{lines[1]}", json={"accountId": bank.role("uncategorised_income")})
    ada.patch(f"{LINES}/{lines[0]}", json={"description": "Green tea"})
    instant = now(ada)
    ada.browser().post(f"/journal/{draft_of(ada, lines[1])}/correction/discard")
    assert lines[1] in changed(ada, instant)
