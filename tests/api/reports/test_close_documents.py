"""A close over the API: prepared by a key, approved by a person, judged by what moved it since, and reopened."""

import json

import pytest

from webapp.ledger.closing.documents import digest, faults

MARCH = "/api/closes/2026-03"


def close_of(person, address=MARCH):
    answer = person.get(address)
    assert answer.status_code == 200, answer.json
    return answer.json["close"]


def entry(person, books, day, amount, account="Motor", other="Capital"):
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
    bank.account("Motor"), bank.account("Orders", "INCOME"), bank.account("Capital", "EQUITY")
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
    assert (other.status_code, other.json["code"], "again since" in other.json["error"]) == (
        409,
        "moved",
        True,
    )
    early = signed_in.post(f"{MARCH}/reopen", json={"note": "x"}).json
    assert (early["code"], early["error"]) == ("not_newest", "This month is not closed.")
    answer = signed_in.post(f"{MARCH}/approve", json={"digest": prepared["digest"]})
    assert answer.status_code == 200, answer.json
    second = signed_in.post(f"{MARCH}/approve", json={"digest": prepared["digest"]})
    assert (second.status_code, second.json["code"]) == (409, "closed")
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
    assert found["accounts"] == [{"accountId": motor, "name": "Motor"}]
    (act,) = found["acts"]
    assert (act["by"], act["note"]) == ("Ada's program", "The car is private")
    kept.patch(f"/api/accounts/{motor}", json={"inScope": True, "note": "It is not"})
    held = close_of(kept)
    assert (held["verdict"], held["moved"], held["accounts"]) == ("HOLDS", [], [])
    kept.patch(f"/api/accounts/{motor}", json={"group": "FINANCE", "note": "It is a loan's"})
    regrouped = close_of(kept)
    assert (regrouped["verdict"], [each["name"] for each in regrouped["accounts"]]) == (
        "PRESENTED_DIFFERENTLY",
        ["Motor"],
    )


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


def test_a_close_freezes_its_balances_and_what_is_in_transit(kept, signed_in):
    closed(signed_in)
    document = kept.get(f"{MARCH}/document").json["document"]
    assert [each["state"] for each in document["balances"]] == ["PROVED"]
    assert document["inTransit"] == {"count": 0, "sum": "0.00", "oldest": None}


def test_what_comes_late_is_counted_and_breaks_nothing(kept, bank, books, signed_in):
    bank.open()
    accept = [{"step": each, "note": "None yet"} for each in ("statements", "balances")]
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
    accept = [{"step": "flux", "note": "Nothing was sold"}]
    closed(signed_in, "/api/closes/2026-04", accept=accept)
    april = kept.get("/api/closes/2026-04/document").json
    assert april["document"]["previousDigest"] == first["digest"]
    assert signed_in.post(f"{MARCH}/reopen", json={"note": "x"}).json["code"] == "not_newest"
    assert kept.post("/api/closes/2026-04/reopen", json={"note": "x"}).json["code"] == "person_needed"
    assert signed_in.post("/api/closes/2026-04/reopen", json={"note": " "}).status_code == 422
    answer = signed_in.post("/api/closes/2026-04/reopen", json={"note": "A bill is missing"})
    assert (answer.status_code, answer.json["close"]["status"]) == (200, "REOPENED")
    assert kept.get("/api/lock-date").json["lockDate"] == "2026-03-31"
    entry(kept, books, "2026-04-03", "8.00")
    closed(signed_in, "/api/closes/2026-04", accept=accept)
    again = kept.get("/api/closes/2026-04/document").json
    assert again["document"]["previousDigest"] == april["digest"]
    assert not [*faults(again["document"], again["digest"]), *faults(first["document"], first["digest"])]


def test_the_close_of_a_year_locks_its_adjusting_entries_until_it_is_reopened(kept, books, signed_in):
    entry(kept, books, "2025-12-05", "5.00")
    december = "/api/closes/2025-12"
    closed(signed_in, december)
    locks = {"ALL": "2025-12-31", "ADJUSTMENTS": "2025-12-31"}
    assert kept.get("/api/locks").json == locks
    answer = signed_in.post(f"{december}/reopen", json={"note": "The audit is to come"})
    assert answer.status_code == 200, answer.json
    assert kept.get("/api/locks").json == {"ALL": None, "ADJUSTMENTS": None}
    kept.put("/api/locks", json={"ADJUSTMENTS": "2024-12-31"})
    closed(signed_in, december)
    closed(signed_in, accept=[{"step": "flux", "note": "It is the first month"}])
    assert kept.get("/api/locks").json == locks | {"ALL": "2026-03-31"}
    for period in ("2026-03", "2025-12"):
        signed_in.post(f"/api/closes/{period}/reopen", json={"note": "x"})
    assert kept.get("/api/locks").json == {"ALL": None, "ADJUSTMENTS": "2024-12-31"}


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


def test_large_changes_need_a_sentence(kept, books, signed_in):
    closed(signed_in)
    entry(kept, books, "2026-04-10", "450.00")
    april = "/api/closes/2026-04"
    rows = [
        (each["name"], each["before"], each["now"], each["note"]) for each in close_of(kept, april)["flux"]
    ]
    assert rows == [("Orders", "-1100.00", "0.00", None), ("Motor", "300.00", "450.00", None)]
    kept.put("/api/close-steps/policy", json={"fluxAmount": "100.00", "fluxPercent": 60})
    assert [each["name"] for each in close_of(kept, april)["flux"]] == ["Orders"]
    about = str(books.account_id("Orders"))
    assert kept.post(f"{april}/steps/flux/done", json={"about": about}).status_code == 422
    answer = kept.post(f"{april}/steps/flux/done", json={"about": about, "note": "No market in April"})
    assert answer.status_code == 200, answer.json
    closed(signed_in, april)
    frozen = kept.get(f"{april}/document").json["document"]["flux"]
    assert [each["note"] for each in frozen] == ["No market in April"]


def test_entries_need_a_document_from_an_amount_on(kept, books, bank):
    asked = {"expensesFrom": "250.00", "manualFrom": "1000.00"}
    assert kept.put("/api/close-steps/policy", json=asked).status_code == 200
    found = close_of(kept)
    assert [each["amount"] for each in found["evidence"]] == ["300.00", "1100.00"]
    step = next(each for each in found["steps"] if each["code"] == "evidence")
    assert (step["state"], step["count"], step["amount"]) == ("TO_DO", 2, "1400.00")
    exempt = {**asked, "exemptAccountIds": [books.account_id("Motor"), books.account_id("Capital")]}
    kept.put("/api/close-steps/policy", json=exempt)
    assert close_of(kept)["evidence"] == []
    kept.put("/api/close-steps/policy", json={"expensesFrom": "300.01"})
    assert close_of(kept)["evidence"] == []


def test_what_stays_where_it_is_booked_is_left(kept, bank, books):
    bank.open()
    bank.lock("2026-03-31")
    line = bank.send("2026-03-30", "-5.00", "Late")
    kept.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Motor")})
    kept.post(f"/api/transactions/{line}/confirm")
    bank.lock("2026-02-28")
    (row,) = close_of(kept)["cutOff"]["rows"]
    body = {"about": str(row["journalEntryId"]), "note": "It is small"}
    found = kept.post(f"{MARCH}/steps/cut_off/done", json=body).json["close"]
    step = next(each for each in found["steps"] if each["code"] == "cut_off")
    assert (step["state"], step["count"], found["cutOff"]["count"]) == ("DONE", 0, 1)
    assert kept.post(f"{MARCH}/steps/cut_off/done", json={"about": "999999"}).status_code == 422


def test_the_page_walks_a_close(kept, ben, books, bank, signed_in):
    bank.open()
    line = bank.send("2026-03-02", "-5.00", "Early")
    kept.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Motor")})
    kept.post(f"/api/transactions/{line}/confirm")
    page = signed_in.get("/month-end/2026-03").text
    assert "1 bank account is not proved to 31 Mar 2026" in page
    workspace = f'href="/feeds/{bank.fa_id}">'
    assert f"{workspace}See" in page
    assert f"{workspace}Reconcile it" in signed_in.get("/month-end/2026-03/balances").text
    assert "Close and lock March 2026" in page
    assert "Close and lock" not in ben.browser().get("/month-end/2026-03").text
    refused = signed_in.post("/month-end/2026-03/complete", data={})
    assert "accept each step with a note" in refused.text
    form = {"note-statements": "The bank is late", "note-balances": "So is its balance", "note": "As always"}
    assert ben.browser().post("/month-end/2026-03/prepare", data=form).status_code == 303
    prepared = signed_in.get("/month-end/2026-03").text
    assert "Ben prepared it on" in prepared
    digest_ = close_of(kept)["digest"]
    assert signed_in.post("/month-end/2026-03/approve", data={"digest": digest_}).status_code == 303
    page = signed_in.get("/month-end/2026-03").text
    assert "Its figures are still those of the books" in page
    assert "Left by Ben: The bank is late" in page
    late = bank.send("2026-03-20", "-7.00", "Late")
    kept.patch(f"/api/transactions/{late}", json={"accountId": books.account_id("Motor")})
    kept.post(f"/api/transactions/{late}/confirm")
    page = signed_in.get("/month-end/2026-03").text
    assert 'href="#reopen-note">Reopen March 2026…' in page
    assert 'id="reopen-note"' in page
    kept.patch(f"/api/accounts/{books.account_id('Motor')}", json={"inScope": False, "note": "Private"})
    page = signed_in.get("/month-end/2026-03").text
    assert "795.00 → 1,100.00" in page
    assert "Private" in page
    assert signed_in.post("/month-end/2026-03/reopen", data={"note": "Look again"}).status_code == 303
    assert kept.get("/api/lock-date").json["lockDate"] is None


def test_the_hub_shows_what_is_left_of_the_first_month_with_entries(kept, books, bank, signed_in):
    bank.open()
    kept.post("/api/close-steps", json={"name": "Count the till"})
    part = signed_in.htmx("GET", "/month-end", target="month_end").text
    assert "March 2026: 5 of 6 done" in part
    assert "Count the till" in part
    assert "Everything is posted" not in part
