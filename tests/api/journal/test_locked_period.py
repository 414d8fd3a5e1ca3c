"""Every way into the books around the lock: the day before it, its own, and the day after (P6)."""

import pytest

from tests.api.imports.test_imports import imported
from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.helpers.transfers import line_of

LOCK, FIRST_OPEN = "2026-03-31", "2026-04-01"
DAYS = ("2026-03-30", LOCK, FIRST_OPEN)
pytestmark = pytest.mark.parametrize("day", DAYS)


def is_locked(day):
    return day <= LOCK


def open_day(day):
    return max(day, FIRST_OPEN)


def entry(person, entry_id):
    return person.get(f"/api/journal-entries/{entry_id}").json["entry"]


def day_of(person, entry_id):
    return entry(person, entry_id)["effectiveAt"][:10]


def posted(person, line):
    (entry_id,) = person.post(f"/api/transactions/{line}/confirm").json["result"]["journalEntryIds"]
    return entry_id


def test_confirming_a_draft_of_the_period(ada, bank, books, day):
    line = bank.send(day, "-5.00")
    bank.lock(LOCK)
    answer = ada.post(f"/api/transactions/{line}/confirm")
    assert answer.status_code == (409 if is_locked(day) else 200)
    assert answer.json.get("code") == ("period_locked" if is_locked(day) else None)
    assert entry(ada, line_of(ada, line)["journalEntryId"])["status"] == (
        "DRAFT" if is_locked(day) else "POSTED"
    )
    bank.lock(None)


@pytest.mark.parametrize("post", [False, True])
def test_a_manual_entry(ada, bank, books, day, post):
    bank.lock(LOCK)
    accounts = bank.account("Fees"), bank.account("Owed", "LIABILITY")
    postings = [
        {"accountId": account, "amount": amount, "currency": "EUR"}
        for account, amount in zip(accounts, ("1.00", "-1.00"), strict=True)
    ]
    body = {"effectiveAt": day, "description": "By hand", "postings": postings, "post": post}
    answer = ada.post("/api/journal-entries", json=body)
    assert (answer.status_code, answer.json.get("code")) == (
        (409, "period_locked") if is_locked(day) else (201, None)
    )
    assert len(ada.get("/api/journal-entries").json["entries"]) == (0 if is_locked(day) else 1)


def test_voiding_an_entry_of_the_period(ada, bank, books, day):
    entry_id = posted(ada, bank.send(day, "-5.00"))
    bank.lock(LOCK)
    answer = ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"})
    reversal, draft = answer.json["result"]["journalEntryIds"]
    assert day_of(ada, reversal) == day_of(ada, draft) == open_day(day)


def test_voiding_onto_a_day(ada, bank, books, day):
    entry_id = posted(ada, bank.send("2026-03-01", "-5.00"))
    bank.lock(LOCK)
    body = {"reason": "Wrong", "effectiveAt": day}
    answer = ada.post(f"/api/journal-entries/{entry_id}/void", json=body)
    assert (answer.status_code, answer.json.get("code")) == (
        (409, "period_locked") if is_locked(day) else (200, None)
    )


def test_correcting_an_entry_of_the_period(ada, bank, books, day):
    line = bank.send(day, "-5.00")
    posted(ada, line)
    ada.patch(f"/api/transactions/{line}", json={"accountId": bank.account("Travel")})
    bank.lock(LOCK)
    assert day_of(ada, posted(ada, line)) == open_day(day)


def test_importing_a_line_of_the_period(ada, bank, books, day):
    bank.lock(LOCK)
    fa_id = imported(ada, bank_file(Line(day, "-5.00", "Train", "T1")))["accounts"][0]["faId"]
    (line,) = ada.get(f"/api/transactions?faId={fa_id}").json["transactions"]
    assert (line["bookedOn"], day_of(ada, line["journalEntryId"])) == (day, open_day(day))


def test_bringing_back_a_line_of_the_period(ada, bank, books, day):
    line = bank.send(day, "-5.00")
    assert ada.delete(f"/api/transactions/{line}").status_code == 200
    bank.lock(LOCK)
    assert ada.post(f"/api/transactions/{line}/restore").status_code == 200
    assert day_of(ada, line_of(ada, line)["journalEntryId"]) == open_day(day)


def test_locking_over_drafts_moves_them_out(ada, bank, books, day):
    line = bank.send(day, "-5.00")
    answer = ada.put("/api/lock-date", json={"lockDate": LOCK})
    assert answer.status_code == (409 if is_locked(day) else 200)
    assert ada.put("/api/lock-date", json={"lockDate": LOCK, "moveDrafts": True}).status_code == 200
    assert day_of(ada, line_of(ada, line)["journalEntryId"]) == open_day(day)
