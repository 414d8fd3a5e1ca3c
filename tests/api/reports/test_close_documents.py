"""A close over the API: prepared by a key, approved by a person, judged by what moved it since, and reopened."""

import json

import pytest

from webapp.ledger.closing.documents import digest, faults

MARCH = "/api/closes/2026-03"


def close_of(person, address=MARCH):
    answer = person.get(address)
    assert answer.status_code == 200, answer.json
    return answer.json["close"]


def entry(person, books, day, amount, account="Motor", other="Cash"):
    opposite = amount[1:] if amount.startswith("-") else f"-{amount}"
    legs = [(account, amount), (other, opposite)]
    postings = [{"accountId": books.account_id(name), "amount": each} for name, each in legs]
    body = {"effectiveAt": day, "postings": postings, "post": True}
    answer = person.post("/api/journal-entries", json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["entry"]["id"]


@pytest.fixture
def kept(ada, bank, books, sound):
    """Books with costs of March, which nothing keeps from being closed."""
    bank.account("Motor"), bank.account("Orders", "INCOME"), bank.account("Cash", "ASSET")
    entry(ada, books, "2026-03-10", "300.00")
    entry(ada, books, "2026-03-11", "-1100.00", "Orders")
    return ada


@pytest.fixture
def signed_in(ada):
    return ada.browser()


def closed(signed_in, address=MARCH, **body):
    answer = signed_in.post(f"{address}/complete", json=body)
    assert answer.status_code == 200, answer.json
    return answer.json["close"]


def test_a_key_prepares_and_a_person_approves(kept, ben, signed_in):
    answer = ben.post(f"{MARCH}/prepare", json={"note": "Ready"})
    assert answer.status_code == 200, answer.json
    prepared = answer.json["close"]
    assert (prepared["status"], prepared["preparedBy"], prepared["verdict"]) == (
        "PREPARED",
        "Ben's program",
        None,
    )
    refused = kept.post(f"{MARCH}/approve", json={"digest": prepared["digest"]})
    assert (refused.status_code, refused.json["code"]) == (403, "person_needed")
    assert kept.post(f"{MARCH}/complete", json={}).json["code"] == "person_needed"
    other = signed_in.post(f"{MARCH}/approve", json={"digest": "0" * 64})
    assert (other.status_code, other.json["code"]) == (409, "moved")
    answer = signed_in.post(f"{MARCH}/approve", json={"digest": prepared["digest"]})
    assert answer.status_code == 200, answer.json
    assert (answer.json["close"]["status"], answer.json["close"]["verdict"]) == ("CLOSED", "HOLDS")
    assert kept.get("/api/lock-date").json["lockDate"] == "2026-03-31"
    assert signed_in.post(f"{MARCH}/complete", json={}).json["code"] == "closed"


def test_what_moved_since_it_was_prepared_is_not_approved(kept, books, signed_in):
    prepared = kept.post(f"{MARCH}/prepare", json={}).json["close"]
    entry(kept, books, "2026-03-12", "1.00")
    answer = signed_in.post(f"{MARCH}/approve", json={"digest": prepared["digest"]})
    assert (answer.status_code, answer.json["code"]) == (409, "moved")
    assert kept.get("/api/lock-date").json["lockDate"] is None
    entry(kept, books, "2026-04-12", "1.00")
    again = kept.post(f"{MARCH}/prepare", json={}).json["close"]["digest"]
    entry(kept, books, "2026-04-13", "1.00")
    assert signed_in.post(f"{MARCH}/approve", json={"digest": again}).status_code == 200


def test_a_step_that_is_left_needs_a_note(kept, bank, signed_in):
    bank.open()
    bank.send("2026-03-30", "-9.00", "Not yet looked at")
    refused = signed_in.post(f"{MARCH}/complete", json={})
    assert (refused.status_code, refused.json["code"]) == (409, "steps_left")
    assert refused.json["details"]["steps"] == ["lines", "statements"]
    accept = [{"step": each, "note": "The bank is late"} for each in ("lines", "statements")]
    assert (
        signed_in.post(f"{MARCH}/complete", json={"accept": [{"step": "else", "note": "x"}]}).status_code
        == 422
    )
    found = closed(signed_in, accept=accept)
    states = {each["code"]: (each["state"], each["note"]) for each in found["steps"]}
    assert states["statements"] == ("ACCEPTED", "The bank is late")
    assert states["lines"][0] == "DONE"


def test_two_persons_close_where_that_is_asked(kept, ben, signed_in):
    assert kept.put("/api/close-steps/policy", json={"needsTwo": True}).status_code == 200
    assert signed_in.post(f"{MARCH}/complete", json={}).json["code"] == "second_person"
    mine = kept.post(f"{MARCH}/prepare", json={}).json["close"]["digest"]
    assert signed_in.post(f"{MARCH}/approve", json={"digest": mine}).json["code"] == "second_person"
    theirs = ben.post(f"{MARCH}/prepare", json={}).json["close"]["digest"]
    kept.put("/api/close-steps/policy", json={"needsTwo": False})
    assert signed_in.post(f"{MARCH}/approve", json={"digest": theirs}).status_code == 200


def test_an_account_shown_differently_is_named_with_who_and_why(kept, books, signed_in):
    closed(signed_in)
    motor = books.account_id("Motor")
    body = {"inScope": False}
    assert kept.patch(f"/api/accounts/{motor}", json=body).json["code"] == "locked_figures"
    assert (
        kept.patch(f"/api/accounts/{motor}", json={**body, "note": "The car is private"}).status_code == 200
    )
    found = close_of(kept)
    assert found["verdict"] == "PRESENTED_DIFFERENTLY"
    assert found["moved"] == [{"figure": "result", "frozen": "800.00", "now": "1100.00"}]
    (act,) = found["acts"]
    assert (act["by"], act["note"]) == ("Ada's program", "The car is private")
    kept.patch(f"/api/accounts/{motor}", json={"inScope": True, "note": "It is not"})
    assert (close_of(kept)["verdict"], close_of(kept)["moved"]) == ("HOLDS", [])


def test_a_proof_that_is_reopened_changes_a_close(kept, books, bank, desk, signed_in):
    bank.open()
    line = bank.send("2026-03-05", "-30.00", "Shop")
    kept.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Motor")})
    desk.confirm(line)
    desk.prove("2026-03-31", "-30.00")
    closed(signed_in)
    assert desk.reopen("A line was missing").json["code"] == "period_locked"
    opened = {"lockDate": "2026-02-28", "reason": "The statement was wrong"}
    assert kept.put("/api/lock-date", json=opened).json["code"] == "person_needed"
    assert signed_in.put("/api/lock-date", json=opened).status_code == 200
    assert desk.reopen("A line was missing").status_code == 200
    found = close_of(kept)
    assert found["verdict"] == "CHANGED"
    assert [each["note"] for each in found["acts"]] == ["A line was missing"]


def test_what_comes_late_is_counted_and_breaks_nothing(kept, bank, books, signed_in):
    bank.open()
    accept = [{"step": "statements", "note": "None yet"}]
    line = bank.send("2026-03-02", "-5.00", "Early")
    kept.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Motor")})
    kept.post(f"/api/transactions/{line}/confirm")
    closed(signed_in, accept=accept)
    late = bank.send("2026-03-30", "-60.00", "Late")
    kept.patch(f"/api/transactions/{late}", json={"accountId": books.account_id("Motor")})
    kept.post(f"/api/transactions/{late}/confirm")
    found = close_of(kept)
    assert (found["verdict"], found["late"]) == ("HOLDS", {"count": 1, "sum": "-60.00", "result": "-60.00"})


def test_the_newest_close_is_reopened_and_the_next_follows_on_it(kept, books, signed_in):
    closed(signed_in)
    first = kept.get(f"{MARCH}/document").json
    entry(kept, books, "2026-04-02", "7.00")
    closed(signed_in, "/api/closes/2026-04")
    april = kept.get("/api/closes/2026-04/document").json
    assert april["document"]["previousDigest"] == first["digest"]
    assert signed_in.post(f"{MARCH}/reopen", json={"note": "x"}).json["code"] == "not_newest"
    assert kept.post("/api/closes/2026-04/reopen", json={"note": "x"}).json["code"] == "person_needed"
    assert signed_in.post("/api/closes/2026-04/reopen", json={"note": " "}).status_code == 422
    answer = signed_in.post("/api/closes/2026-04/reopen", json={"note": "A bill is missing"})
    assert (answer.status_code, answer.json["close"]["status"]) == (200, "REOPENED")
    assert kept.get("/api/lock-date").json["lockDate"] == "2026-03-31"
    entry(kept, books, "2026-04-03", "8.00")
    closed(signed_in, "/api/closes/2026-04")
    again = kept.get("/api/closes/2026-04/document").json
    assert again["document"]["previousDigest"] == april["digest"]
    assert not [*faults(again["document"], again["digest"]), *faults(first["document"], first["digest"])]


def test_a_saved_document_shows_what_was_altered_in_it(kept, signed_in):
    closed(signed_in)
    saved = kept.get(f"{MARCH}/document").json
    assert saved["digest"] == digest(saved["document"]) == close_of(kept)["digest"]
    altered = json.loads(json.dumps(saved["document"]))
    altered["trialBalance"]["WITH"][0]["closing"] = "1.00"
    assert [code for code, _ in faults(altered, saved["digest"])] == ["digest", "trial_balance", "totals"]


def test_own_steps_are_ticked_by_people(kept, ben, signed_in):
    made = kept.post(
        "/api/close-steps", json={"name": "Count the till", "dueAfter": 5, "ownerId": ben.user_id}
    )
    assert made.status_code == 201, made.json
    code = f"own-{made.json['closeStep']['id']}"
    kept.post("/api/close-steps", json={"name": "Ask the accountant", "every": "YEAR"})
    step = next(each for each in close_of(kept)["steps"] if each["code"] == code)
    assert (step["state"], step["owner"], step["dueOn"]) == ("TO_DO", "Ben", "2026-04-05")
    assert signed_in.post(f"{MARCH}/complete", json={}).json["details"]["steps"] == [code]
    ticked = ben.post(f"{MARCH}/steps/{code}/done", json={"note": "120.00 counted"}).json["close"]
    step = next(each for each in ticked["steps"] if each["code"] == code)
    assert (step["state"], step["note"]) == ("DONE", "120.00 counted")
    assert ben.post(f"{MARCH}/steps/{code}/undone", json={}).status_code == 200
    assert ben.post(f"{MARCH}/steps/lines/done", json={}).json["code"] == "not_ticked"
    assert (
        kept.patch(f"/api/close-steps/{made.json['closeStep']['id']}", json={"isArchived": True}).status_code
        == 200
    )
    closed(signed_in)
