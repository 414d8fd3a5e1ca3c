"""Reconciling an account: a draft, its cleared lines, and the proof that the books agree with the bank."""

import hashlib
import json

import pytest


@pytest.fixture
def lines(ben, bank):
    """Four lines of October, all confirmed, which come to 850.00."""
    ids = bank.send_many(
        [
            ("2026-10-02", "1000.00", "Invoice 17"),
            ("2026-10-09", "-120.00", "DB ICE 571"),
            ("2026-10-16", "-30.00", "Paper"),
            ("2026-10-31", "0.00", "Statement of fees"),
        ]
    )
    for each in ids:
        confirm(ben, each)
    return ids


def confirm(person, line):
    answer = person.post(f"/api/transactions/{line}/confirm")
    assert answer.status_code == 200, answer.json
    return answer.json


def put(person, bank, day="2026-10-31", balance="850.00", **more):
    body = {"statementDate": day, "statementBalance": balance, **more}
    return person.put(f"/api/reconciliations/accounts/{bank.fa_id}/draft", json=body)


def clear(person, bank, **body):
    return person.put(f"/api/reconciliations/accounts/{bank.fa_id}/draft/lines", json=body)


def complete(person, bank, **body):
    return person.post(f"/api/reconciliations/accounts/{bank.fa_id}/complete", json=body)


def reopen(person, bank, reason="A line was wrong"):
    return person.post(f"/api/reconciliations/accounts/{bank.fa_id}/reopen", json={"reason": reason})


def abandon(person, bank):
    return person.post(f"/api/reconciliations/accounts/{bank.fa_id}/abandon")


def account(person, bank):
    return person.get(f"/api/reconciliations/accounts/{bank.fa_id}").json["account"]


def void(person, entry):
    answer = person.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"})
    assert answer.status_code == 200, answer.json
    return answer.json


def entry_of(person, line):
    return person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]


@pytest.fixture
def proof(ben, bank, lines):
    """October, proved."""
    assert put(ben, bank).status_code == 200
    assert clear(ben, bank, auto=True).status_code == 200
    answer = complete(ben, bank)
    assert answer.status_code == 200, answer.json
    return answer.json["reconciliation"]


def test_an_account_that_nobody_reconciled_was_never_reconciled(ben, bank, lines):
    found = account(ben, bank)
    assert (found["status"], found["anchor"], found["draft"]) == ("never", None, None)
    assert (found["unreconciledCount"], found["unconfirmedCount"]) == (4, 0)


def test_a_draft_says_what_it_comes_to(ben, bank, lines):
    opened = put(ben, bank).json["account"]["draft"]
    assert opened | {"id": 0, "openedAt": ""} == {
        "id": 0,
        "statementDate": "2026-10-31",
        "statementBalance": "850.00",
        "openingBalance": "0.00",
        "openingDate": None,
        "keepAsNew": False,
        "clearedBalance": "0.00",
        "difference": "850.00",
        "clearedCount": 0,
        "version": 1,
        "openedAt": "",
        "openedBy": {"kind": "TOKEN", "id": ben.token_id, "name": "Ben's program"},
    }
    cleared = clear(ben, bank, cleared=lines[:2]).json["account"]["draft"]
    assert (cleared["clearedBalance"], cleared["difference"]) == ("880.00", "-30.00")
    assert (cleared["clearedCount"], cleared["version"]) == (2, 2)


def test_from_a_draft_to_a_proof(ben, bank, lines, proof):
    assert (proof["status"], proof["holds"], proof["clearedCount"]) == ("COMPLETED", True, 4)
    assert [line["transactionId"] for line in proof["lines"]] == lines
    assert proof["ledgerBalance"] == "850.00"
    found = account(ben, bank)
    assert (found["status"], found["draft"], found["unreconciledCount"]) == ("reconciled", None, 0)
    assert found["anchor"] == {
        "id": proof["id"],
        "statementDate": "2026-10-31",
        "statementBalance": "850.00",
        "completedAt": proof["completedAt"],
        "completedBy": {"kind": "TOKEN", "id": ben.token_id, "name": "Ben's program"},
        "digest": proof["digest"],
        "holds": True,
        "brokenBy": None,
    }
    assert ben.get(f"/api/transactions/{lines[0]}").json["transaction"]["reconciliationId"] == proof["id"]


def test_the_digest_is_of_what_the_proof_itself_says(ben, bank, proof):
    bank.send("2026-11-05", "5.00", "Interest")
    confirm(ben, bank.send("2026-11-06", "-1.00", "Fee"))
    put(ben, bank, "2026-11-30", "849.00")
    clear(ben, bank, auto=True)
    second = complete(ben, bank).json["reconciliation"]
    for shown in (proof, second):
        keys = "id organizationId faId currency statementDate statementBalance openingBalance openingDate"
        more = "keepAsNew openingEntryId ledgerBalance outstanding inTransit lines completedAt previousDigest"
        document = {key: shown[key] for key in f"{keys} {more}".split()}
        document |= {"v": 1, "completedBy": shown["completedBy"]["id"]}
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == shown["digest"]
    assert second["previousDigest"] == proof["digest"]
    assert second["openingBalance"] == "850.00"


def test_completing_needs_a_difference_of_nothing(ben, bank, lines):
    put(ben, bank, balance="900.00")
    clear(ben, bank, auto=True)
    refused = complete(ben, bank)
    assert (refused.status_code, refused.json["code"]) == (409, "difference")
    assert refused.json["details"] == {"difference": "50.00"}


def test_completing_needs_every_cleared_line_confirmed(ben, bank, lines):
    late = bank.send("2026-10-20", "-50.00", "Not confirmed")
    put(ben, bank, balance="800.00")
    clear(ben, bank, auto=True)
    clear(ben, bank, cleared=[late])
    refused = complete(ben, bank)
    assert (refused.status_code, refused.json["code"]) == (409, "unconfirmed")
    assert refused.json["details"] == {"unconfirmed": [late]}
    confirm(ben, late)
    assert complete(ben, bank).status_code == 200


def test_completing_needs_books_that_agree(ben, bank, lines):
    bank.set_state(lines[2], "REMOVED")
    put(ben, bank, balance="880.00")
    clear(ben, bank, auto=True)
    refused = complete(ben, bank)
    assert (refused.status_code, refused.json["code"]) == (409, "books_differ")
    assert refused.json["details"] == {"books_differ": "-30.00"}
    void(ben, entry_of(ben, lines[2]))
    assert complete(ben, bank).status_code == 200


def test_a_manual_posting_on_the_account_is_an_item(ben, bank, books, lines):
    (entry,) = books.post(
        """
        2026-10-20 Cash paid in
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    put(ben, bank, balance="850.00")
    clear(ben, bank, cleared=lines)
    first = complete(ben, bank).json["reconciliation"]
    assert first["ledgerBalance"] == "1050.00"
    assert first["outstanding"] == [
        {
            "transactionId": None,
            "journalEntryId": entry,
            "providerTransactionId": None,
            "bookedOn": "2026-10-20",
            "amount": "200.00",
        }
    ]
    put(ben, bank, "2026-11-30", "1050.00")
    cleared = clear(ben, bank, clearedEntries=[entry]).json["account"]["draft"]
    assert (cleared["difference"], cleared["clearedCount"]) == ("0.00", 1)
    second = complete(ben, bank).json["reconciliation"]
    assert (second["outstanding"], second["holds"]) == ([], True)
    assert account(ben, bank)["status"] == "reconciled"


def test_an_entry_of_nothing_on_the_account_is_no_item(ben, bank, books, lines):
    (entry,) = books.post(
        """
        2026-10-20 Nothing at all
            Main account    0.00 EUR
            Petty cash      0.00 EUR
        """
    )
    put(ben, bank)
    assert clear(ben, bank, clearedEntries=[entry]).json["code"] == "no_item"


def test_two_tabs_on_one_draft(ben, ada, bank, lines):
    put(ben, bank)
    assert put(ada, bank, balance="1.00", version=1).json["account"]["draft"]["version"] == 2
    stale = put(ben, bank, balance="2.00", version=1)
    assert (stale.status_code, stale.json["code"]) == (409, "stale_version")
    assert stale.json["details"] == {"version": 2}
    assert clear(ben, bank, cleared=lines[:1], version=1).json["details"] == {"version": 2}
    assert complete(ben, bank, version=1).json["details"] == {"version": 2}
    assert account(ben, bank)["draft"]["statementBalance"] == "1.00"
    missing = put(ben, bank)
    assert (missing.status_code, list(missing.json["fields"])) == (422, ["version"])


def test_a_draft_that_is_gone_is_stale(ben, ada, bank, lines):
    put(ben, bank)
    abandon(ada, bank)
    gone = put(ben, bank, version=1)
    assert (gone.status_code, gone.json["details"]) == (409, {"version": None})


def test_moving_the_day_back_unclears_what_lies_after_and_says_so(ben, bank, lines):
    put(ben, bank)
    clear(ben, bank, cleared=lines)
    moved = put(ben, bank, "2026-10-10", version=2).json
    assert moved["uncleared"] == lines[2:]
    assert moved["account"]["draft"]["clearedCount"] == 2
    refused = clear(ben, bank, cleared=[lines[2]])
    assert (refused.status_code, refused.json["code"]) == (422, "after_statement")
    assert list(refused.json["fields"]) == ["cleared.0"]


def test_a_statement_is_later_than_the_last_proof(ben, bank, proof):
    refused = put(ben, bank, "2026-10-31")
    assert (refused.status_code, list(refused.json["fields"])) == (422, ["statementDate"])
    assert list(put(ben, bank, "2026-11-30", keepAsNew=True).json["fields"]) == ["keepAsNew"]


def test_an_older_line_that_was_left_open_is_cleared_in_the_next_statement(ben, bank, lines):
    put(ben, bank, balance="880.00")
    clear(ben, bank, cleared=[lines[0], lines[1], lines[3]])
    first = complete(ben, bank).json["reconciliation"]
    assert [item["transactionId"] for item in first["outstanding"]] == [lines[2]]
    assert account(ben, bank)["status"] == "needs"
    put(ben, bank, "2026-11-30", "850.00")
    clear(ben, bank, cleared=[lines[2]])
    complete(ben, bank)
    found = account(ben, bank)
    assert (found["status"], found["anchor"]["holds"]) == ("reconciled", True)
    assert ben.get(f"/api/reconciliations/{first['id']}").json["reconciliation"]["holds"] is True


def test_a_line_that_comes_late_breaks_the_proof(ben, bank, proof):
    late = bank.send("2026-10-15", "-9.00", "Late")
    found = account(ben, bank)
    assert (found["status"], found["anchor"]["holds"]) == ("needs", False)
    assert found["anchor"]["brokenBy"]["transactionId"] == late
    assert found["anchor"]["brokenBy"]["field"] == "arrival"
    bank.send("2026-11-15", "-9.00", "In time")
    ben.delete(f"/api/transactions/{late}")
    assert account(ben, bank)["anchor"]["holds"] is True


def test_a_posting_that_comes_late_breaks_the_proof(ben, bank, books, proof):
    (entry,) = books.post(
        """
        2026-10-20 Cash paid in
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    broken = account(ben, bank)["anchor"]
    assert broken["holds"] is False
    assert (broken["brokenBy"]["journalEntryId"], broken["brokenBy"]["field"]) == (entry, "arrival")
    assert broken["brokenBy"]["actor"]["name"] == "Ada"
    void(ben, entry)
    assert account(ben, bank)["anchor"]["holds"] is True


def test_voiding_a_proved_entry_breaks_the_proof_and_confirming_the_line_again_heals_it(
    ben, ada, bank, lines, proof
):
    entry = entry_of(ben, lines[1])
    act = void(ada, entry)
    broken = account(ben, bank)
    assert (broken["status"], broken["anchor"]["holds"]) == ("needs", False)
    assert broken["anchor"]["brokenBy"] | {"at": ""} == {
        "journalEntryId": entry,
        "transactionId": lines[1],
        "actionRequestId": act["actionRequestId"],
        "actor": {"kind": "TOKEN", "id": ada.token_id, "name": "Ada's program"},
        "field": "entryStatus",
        "before": "POSTED",
        "after": "VOIDED",
        "at": "",
    }
    confirm(ben, lines[1])
    healed = account(ben, bank)
    assert (healed["status"], healed["anchor"]["holds"]) == ("reconciled", True)


def test_confirming_or_correcting_what_was_there_breaks_nothing(ben, bank, lines):
    waiting = bank.send("2026-10-12", "-7.00", "Waits")
    put(ben, bank)
    clear(ben, bank, cleared=lines)
    complete(ben, bank)
    confirm(ben, waiting)
    travel = bank.account("Travel")
    ben.patch(f"/api/transactions/{lines[1]}", json={"accountId": travel})
    confirm(ben, lines[1])
    found = account(ben, bank)
    assert (found["anchor"]["holds"], found["status"], found["unreconciledCount"]) == (True, "needs", 1)


def test_reopening_and_completing_again(ben, bank, lines, proof):
    reopened = reopen(ben, bank).json["account"]
    assert (reopened["status"], reopened["anchor"]) == ("never", None)
    assert reopened["draft"]["clearedCount"] == 4
    assert reopened["draft"]["difference"] == "0.00"
    kept = ben.get(f"/api/reconciliations/{proof['id']}").json["reconciliation"]
    assert (kept["status"], kept["reopenReason"]) == ("REOPENED", "A line was wrong")
    assert kept["digest"] == proof["digest"]
    again = complete(ben, bank).json["reconciliation"]
    assert again["id"] != proof["id"]
    assert (again["reopenedFromId"], again["previousDigest"]) == (proof["id"], None)
    assert account(ben, bank)["status"] == "reconciled"


def test_abandoning_the_draft_of_a_reopened_proof_brings_no_proof_back(ben, bank, lines, proof):
    reopen(ben, bank)
    assert abandon(ben, bank).json == {"ok": True}
    found = account(ben, bank)
    assert (found["status"], found["draft"], found["unreconciledCount"]) == ("never", None, 4)


def test_reopening_needs_a_proof_and_no_draft(ben, bank, lines):
    assert reopen(ben, bank).json["code"] == "no_proof"
    put(ben, bank)
    assert reopen(ben, bank).json["code"] == "draft_open"
    assert complete(ben, bank).status_code == 409


def test_a_proof_of_a_locked_period_stays(ben, bank, proof):
    bank.lock("2026-10-31")
    refused = reopen(ben, bank)
    assert (refused.status_code, refused.json["code"]) == (409, "period_locked")
    bank.lock("2026-10-30")
    assert reopen(ben, bank).status_code == 200


def test_a_statement_in_a_locked_period_is_completed_when_that_posts_nothing(ben, bank, lines):
    bank.lock("2026-12-31")
    put(ben, bank)
    clear(ben, bank, auto=True)
    assert complete(ben, bank).status_code == 200


def test_a_line_that_a_lock_moved_is_in_transit(ben, bank, lines):
    bank.lock("2026-10-31")
    moved = bank.send("2026-10-20", "-50.00", "Late in October")
    confirm(ben, moved)
    put(ben, bank, balance="800.00")
    clear(ben, bank, auto=True)
    proof = complete(ben, bank).json["reconciliation"]
    assert proof["ledgerBalance"] == "850.00"
    assert [(item["transactionId"], item["bookedOn"], item["amount"]) for item in proof["inTransit"]] == [
        (moved, "2026-10-20", "-50.00")
    ]
    assert account(ben, bank)["anchor"]["holds"] is True


def test_between_a_voided_entry_and_its_reversal_the_voided_one_is_outstanding(ben, bank, lines):
    bank.lock("2026-10-31")
    void(ben, entry_of(ben, lines[2]))
    put(ben, bank, balance="880.00")
    clear(ben, bank, auto=True)
    proof = complete(ben, bank).json["reconciliation"]
    assert [(item["transactionId"], item["amount"]) for item in proof["outstanding"]] == [
        (lines[2], "-30.00")
    ]
    assert account(ben, bank)["anchor"]["holds"] is True


def test_abandoning_is_always_fine_and_leaves_proofs_alone(ben, bank, proof):
    assert abandon(ben, bank).json == {"ok": True}
    put(ben, bank, "2026-11-30", "850.00")
    assert abandon(ben, bank).status_code == 200
    assert account(ben, bank)["anchor"]["id"] == proof["id"]
    assert ben.post("/api/reconciliations/accounts/999999/abandon").status_code == 404


def test_what_cannot_be_cleared_is_named(ben, dan, bank, lines, proof):
    put(ben, bank, "2026-11-30", "850.00")
    pending = bank.send("2026-11-02", "-1.00", "Pending", status="PENDING")
    foreign = bank.of(dan).send("2026-11-02", "-1.00", "Of another")
    assert clear(ben, bank, cleared=[pending]).json["code"] == "pending"
    assert clear(ben, bank, cleared=[lines[0]]).json["code"] == "reconciled"
    for unknown in (foreign, 10**15):
        refused = clear(ben, bank, cleared=[unknown])
        assert (refused.status_code, list(refused.json["fields"])) == (422, ["cleared.0"])
    assert clear(ben, bank).status_code == 422
    assert clear(ben, bank, auto=True, cleared=[pending]).status_code == 422
    assert account(ben, bank)["draft"]["clearedCount"] == 0


def test_the_lines_of_a_draft_are_listed_a_page_at_a_time(ben, bank, lines):
    bank.send("2026-11-02", "-1.00", "After the statement")
    put(ben, bank)
    clear(ben, bank, cleared=lines[:1])
    path = f"/api/reconciliations/accounts/{bank.fa_id}?limit=3"
    first = ben.get(path).json
    second = ben.get(f"{path}&cursor={first['nextCursor']}").json
    listed = [*first["lines"], *second["lines"]]
    assert [line["transactionId"] for line in listed] == lines[::-1]
    assert [line["cleared"] for line in listed] == [False, False, False, True]
    assert second["nextCursor"] is None


def test_a_card_is_reconciled_with_debt_negative(ben, bank):
    bank.open("Card", type_="LIABILITY")
    spent = bank.send_many([("2026-10-02", "-40.00", "Lunch"), ("2026-10-03", "-2.50", "Coffee")])
    for line in spent:
        confirm(ben, line)
    put(ben, bank, balance="-42.50")
    clear(ben, bank, auto=True)
    proof = complete(ben, bank).json["reconciliation"]
    assert (proof["statementBalance"], proof["ledgerBalance"]) == ("-42.50", "-42.50")


def test_an_account_abroad_is_reconciled_in_its_own_currency(ben, bank):
    bank.quote("2026-10-01", "USD", "1.1")
    bank.open("Dollars", "USD")
    confirm(ben, bank.send("2026-10-05", "110.00", "Sale"))
    put(ben, bank, balance="110.00")
    clear(ben, bank, auto=True)
    proof = complete(ben, bank).json["reconciliation"]
    assert (proof["currency"], proof["ledgerBalance"]) == ("USD", "110.00")


def test_another_organizations_account_does_not_exist(dan, bank, proof):
    path = f"/api/reconciliations/accounts/{bank.fa_id}"
    unknown = dan.get("/api/reconciliations/accounts/999999")
    assert unknown.status_code == 404
    answers = [
        dan.get(path),
        put(dan, bank),
        clear(dan, bank, auto=True),
        complete(dan, bank),
        reopen(dan, bank),
        abandon(dan, bank),
        dan.get(f"/api/reconciliations/{proof['id']}"),
    ]
    assert {(answer.status_code, answer.get_data()) for answer in answers} == {(404, unknown.get_data())}


def test_who_only_reads_reconciles_nothing(cleo, bank, lines):
    assert put(cleo, bank).status_code == 403
    assert cleo.get("/api/reconciliations/accounts").status_code == 200
