"""Reconciling an account: a draft, its cleared lines, and the proof that the books agree with the bank."""

import hashlib
import json
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from webapp.models import Reconciliation


@pytest.fixture
def lines(bank, desk):
    ids = bank.send_many(
        [
            ("2026-10-02", "1000.00", "Invoice 17"),
            ("2026-10-09", "-120.00", "DB ICE 571"),
            ("2026-10-16", "-30.00", "Paper"),
            ("2026-10-31", "0.00", "Statement of fees"),
        ]
    )
    desk.confirm(*ids)
    return ids


@pytest.fixture
def proof(desk, lines):
    """October, proved."""
    return desk.prove()


def test_an_account_that_nobody_reconciled_was_never_reconciled(desk, lines):
    found = desk.account()
    assert (found["status"], found["anchor"], found["draft"]) == ("never", None, None)
    assert (found["unreconciledCount"], found["unconfirmedCount"]) == (4, 0)


def test_a_draft_says_what_it_comes_to(ben, desk, lines):
    opened = desk.put().json["account"]["draft"]
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
    cleared = desk.clear(cleared=lines[:2]).json["account"]["draft"]
    assert (cleared["clearedBalance"], cleared["difference"]) == ("880.00", "-30.00")
    assert (cleared["clearedCount"], cleared["version"]) == (2, 2)


def test_from_a_draft_to_a_proof(ben, desk, lines, proof):
    assert (proof["status"], proof["holds"], proof["clearedCount"]) == ("COMPLETED", True, 4)
    assert [line["transactionId"] for line in proof["lines"]] == lines
    assert proof["ledgerBalance"] == "850.00"
    found = desk.account()
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


def test_the_digest_is_of_what_the_proof_itself_says(bank, desk, lines, proof):
    bank.send("2026-11-05", "5.00", "Interest")
    desk.confirm(bank.send("2026-11-06", "-1.00", "Fee"))
    desk.put("2026-11-20", "849.00")
    desk.clear(auto=True)
    second = desk.complete().json["reconciliation"]
    for shown in (proof, second):
        keys = "id organizationId faId currency statementDate statementBalance openingBalance openingDate"
        more = "keepAsNew openingEntryId ledgerBalance outstanding inTransit lines completedAt previousDigest head"
        document = {key: shown[key] for key in f"{keys} {more}".split()}
        document |= {
            "v": 3,
            "statementDigest": None,
            "fileDigests": [],
            "completedBy": shown["completedBy"]["id"],
        }
        text = json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == shown["digest"]
    assert second["previousDigest"] == proof["digest"]
    assert second["openingBalance"] == "850.00"


def test_completing_needs_a_difference_of_nothing(desk, lines):
    desk.put(balance="900.00")
    desk.clear(auto=True)
    refused = desk.complete()
    assert (refused.status_code, refused.json["code"]) == (409, "difference")
    none = {"count": 0, "sum": "0.00", "transactionIds": [], "journalEntryIds": []}
    assert refused.json["details"] == {"difference": "50.00", "uncleared": none, "missing": []}


def test_a_difference_names_what_is_not_cleared_up_to_the_day(bank, desk, lines):
    """The lines that may be it were left to be looked for."""
    bank.send("2026-11-02", "-7.00", "After the statement")
    desk.put(balance="850.00")
    desk.clear(cleared=lines[:2])
    details = desk.complete().json["details"]
    assert details["uncleared"] == {
        "count": 2,
        "sum": "-30.00",
        "transactionIds": lines[2:],
        "journalEntryIds": [],
    }
    bank.send_many([("2026-10-20", "-1.00", f"Line {number}") for number in range(30)])
    many = desk.complete().json["details"]["uncleared"]
    assert (many["count"], many["sum"], len(many["transactionIds"])) == (32, "-60.00", 20)


def test_completing_needs_every_cleared_line_confirmed(bank, desk, lines):
    late = bank.send("2026-10-20", "-50.00", "Not confirmed")
    desk.put(balance="800.00")
    desk.clear(auto=True)
    desk.clear(cleared=[late])
    refused = desk.complete()
    assert (refused.status_code, refused.json["code"]) == (409, "unconfirmed")
    assert refused.json["details"] == {"unconfirmed": [late]}
    desk.confirm(late)
    assert desk.complete().status_code == 200


def test_completing_needs_books_that_agree(bank, desk, lines):
    bank.set_state(lines[2], "REMOVED")
    desk.put(balance="880.00")
    desk.clear(auto=True)
    refused = desk.complete()
    assert (refused.status_code, refused.json["code"]) == (409, "books_differ")
    assert refused.json["details"] == {"books_differ": "-30.00"}
    desk.void(desk.line(lines[2])["journalEntryId"])
    assert desk.complete().status_code == 200


def test_a_manual_posting_on_the_account_is_an_item(desk, books, lines):
    (entry,) = books.post(
        """
        2026-10-20 Cash paid in
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    desk.put(balance="850.00")
    desk.clear(cleared=lines)
    first = desk.complete().json["reconciliation"]
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
    desk.put("2026-11-20", "1050.00")
    cleared = desk.clear(clearedEntries=[entry]).json["account"]["draft"]
    assert (cleared["difference"], cleared["clearedCount"]) == ("0.00", 1)
    second = desk.complete().json["reconciliation"]
    assert (second["outstanding"], second["holds"]) == ([], True)
    assert desk.account()["status"] == "reconciled"


def test_an_entry_of_nothing_on_the_account_is_no_item(desk, books, lines):
    (entry,) = books.post(
        """
        2026-10-20 Nothing at all
            Main account    0.00 EUR
            Petty cash      0.00 EUR
        """
    )
    desk.put()
    assert desk.clear(clearedEntries=[entry]).json["code"] == "no_item"


def test_two_tabs_on_one_draft(ada, desk, lines):
    desk.put()
    assert desk.of(ada).put(balance="1.00", version=1).json["account"]["draft"]["version"] == 2
    stale = desk.put(balance="2.00", version=1)
    assert (stale.status_code, stale.json["code"]) == (409, "stale_version")
    assert stale.json["details"] == {"version": 2}
    assert desk.clear(cleared=lines[:1], version=1).json["details"] == {"version": 2}
    assert desk.complete(version=1).json["details"] == {"version": 2}
    assert desk.account()["draft"]["statementBalance"] == "1.00"
    missing = desk.put()
    assert (missing.status_code, list(missing.json["fields"])) == (422, ["version"])


def test_a_draft_that_is_gone_is_stale(ada, desk, lines):
    desk.put()
    desk.of(ada).abandon()
    gone = desk.put(version=1)
    assert (gone.status_code, gone.json["details"]) == (409, {"version": None})


def test_moving_the_day_back_unclears_what_lies_after_and_says_so(desk, lines):
    desk.put()
    desk.clear(cleared=lines)
    moved = desk.put("2026-10-10", version=2).json
    assert moved["uncleared"] == lines[2:]
    assert moved["account"]["draft"]["clearedCount"] == 2
    refused = desk.clear(cleared=[lines[2]])
    assert (refused.status_code, refused.json["code"]) == (422, "after_statement")
    assert list(refused.json["fields"]) == ["cleared.0"]


def test_a_statement_is_later_than_the_last_proof(desk, proof):
    refused = desk.put("2026-10-31")
    assert (refused.status_code, list(refused.json["fields"])) == (422, ["statementDate"])
    assert list(desk.put("2026-11-20", keepAsNew=True).json["fields"]) == ["keepAsNew"]


@pytest.mark.both
def test_a_statement_does_not_end_after_today_in_the_organizations_zone(ada, bank, desk, lines):
    # Kiritimati is 14 hours ahead of UTC, Pago Pago 11 hours behind: their days are never the same.
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        ada.browser().post("/settings/organization", data={"name": "Lantern Studio", "timeZone": zone})
        today = datetime.now(ZoneInfo(zone)).date()
        refused = desk.put(f"{today + timedelta(days=1)}")
        assert (refused.status_code, refused.json["code"]) == (422, "statement")
        assert list(refused.json["fields"]) == ["statementDate"]
        assert f"today is {today:%-d %b %Y}" in refused.json["error"]
        assert desk.put(f"{today}").status_code == 200
        desk.abandon()


def test_a_draft_after_today_from_before_this_rule_is_not_completed(session, desk, lines):
    desk.put()
    desk.clear(cleared=lines)
    session.execute(sa.update(Reconciliation).values(statement_date=date(2199, 2, 28)))
    session.commit()
    refused = desk.complete()
    assert (refused.status_code, list(refused.json["fields"])) == (422, ["statementDate"])


def test_an_older_line_that_was_left_open_is_cleared_in_the_next_statement(ben, desk, lines):
    desk.put(balance="880.00")
    desk.clear(cleared=[lines[0], lines[1], lines[3]])
    first = desk.complete().json["reconciliation"]
    assert [item["transactionId"] for item in first["outstanding"]] == [lines[2]]
    assert desk.account()["status"] == "needs"
    desk.put("2026-11-20", "850.00")
    desk.clear(cleared=[lines[2]])
    desk.complete()
    found = desk.account()
    assert (found["status"], found["anchor"]["holds"]) == ("reconciled", True)
    assert ben.get(f"/api/reconciliations/{first['id']}").json["reconciliation"]["holds"] is True


def test_a_line_that_comes_late_breaks_the_proof(ben, bank, desk, proof):
    late = bank.send("2026-10-15", "-9.00", "Late")
    found = desk.account()
    assert (found["status"], found["anchor"]["holds"]) == ("needs", False)
    assert found["anchor"]["brokenBy"]["transactionId"] == late
    assert found["anchor"]["brokenBy"]["field"] == "arrival"
    bank.send("2026-11-15", "-9.00", "In time")
    ben.delete(f"/api/transactions/{late}")
    assert desk.account()["anchor"]["holds"] is True


def test_a_posting_that_comes_late_breaks_the_proof(desk, books, proof):
    (entry,) = books.post(
        """
        2026-10-20 Cash paid in
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    broken = desk.account()["anchor"]
    assert broken["holds"] is False
    assert (broken["brokenBy"]["journalEntryId"], broken["brokenBy"]["field"]) == (entry, "arrival")
    assert broken["brokenBy"]["actor"]["name"] == "Ada"
    desk.void(entry)
    assert desk.account()["anchor"]["holds"] is True


def test_voiding_a_proved_entry_breaks_the_proof_and_confirming_the_line_again_heals_it(
    ada, desk, lines, proof
):
    entry = desk.line(lines[1])["journalEntryId"]
    act = desk.of(ada).void(entry)
    broken = desk.account()
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
    desk.confirm(lines[1])
    healed = desk.account()
    assert (healed["status"], healed["anchor"]["holds"]) == ("reconciled", True)


def test_confirming_or_correcting_what_was_there_breaks_nothing(ben, bank, desk, lines):
    waiting = bank.send("2026-10-12", "-7.00", "Waits")
    desk.put()
    desk.clear(cleared=lines)
    desk.complete()
    desk.confirm(waiting)
    travel = bank.account("Travel")
    ben.patch(f"/api/transactions/{lines[1]}", json={"accountId": travel})
    desk.confirm(lines[1])
    found = desk.account()
    assert (found["anchor"]["holds"], found["status"], found["unreconciledCount"]) == (True, "needs", 1)


def test_reopening_and_completing_again(ben, desk, proof, lines):
    reopened = desk.reopen().json["account"]
    assert (reopened["status"], reopened["anchor"]) == ("never", None)
    assert reopened["draft"]["clearedCount"] == 4
    assert reopened["draft"]["difference"] == "0.00"
    kept = ben.get(f"/api/reconciliations/{proof['id']}").json["reconciliation"]
    assert (kept["status"], kept["reopenReason"]) == ("REOPENED", "A line was wrong")
    assert kept["digest"] == proof["digest"]
    again = desk.complete().json["reconciliation"]
    assert again["id"] != proof["id"]
    assert (again["reopenedFromId"], again["previousDigest"]) == (proof["id"], None)
    assert desk.account()["status"] == "reconciled"


def test_abandoning_the_draft_of_a_reopened_proof_brings_no_proof_back(desk, lines, proof):
    desk.reopen()
    assert desk.abandon().json == {"ok": True}
    found = desk.account()
    assert (found["status"], found["draft"], found["unreconciledCount"]) == ("never", None, 4)


def test_reopening_needs_a_proof_and_no_draft(desk, lines):
    assert desk.reopen().json["code"] == "no_proof"
    desk.put()
    assert desk.reopen().json["code"] == "draft_open"
    assert desk.complete().status_code == 409


def test_a_proof_of_a_locked_period_stays(bank, desk, proof):
    bank.lock("2026-10-31")
    refused = desk.reopen()
    assert (refused.status_code, refused.json["code"]) == (409, "period_locked")
    bank.lock("2026-10-30")
    assert desk.reopen().status_code == 200


def test_a_statement_in_a_locked_period_is_completed_when_that_posts_nothing(bank, desk, lines):
    bank.lock("2026-12-31")
    desk.put()
    desk.clear(auto=True)
    assert desk.complete().status_code == 200


def test_a_line_that_a_lock_moved_is_in_transit(bank, desk, lines):
    bank.lock("2026-10-31")
    moved = bank.send("2026-10-20", "-50.00", "Late in October")
    desk.confirm(moved)
    desk.put(balance="800.00")
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    assert proof["ledgerBalance"] == "850.00"
    assert [(item["transactionId"], item["bookedOn"], item["amount"]) for item in proof["inTransit"]] == [
        (moved, "2026-10-20", "-50.00")
    ]
    assert desk.account()["anchor"]["holds"] is True


def test_between_a_voided_entry_and_its_reversal_the_voided_one_is_outstanding(bank, desk, lines):
    bank.lock("2026-10-31")
    desk.void(desk.line(lines[2])["journalEntryId"])
    desk.put(balance="880.00")
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    assert [(item["transactionId"], item["amount"]) for item in proof["outstanding"]] == [
        (lines[2], "-30.00")
    ]
    assert desk.account()["anchor"]["holds"] is True


def test_abandoning_is_always_fine_and_leaves_proofs_alone(ben, desk, proof):
    assert desk.abandon().json == {"ok": True}
    desk.put("2026-11-20", "850.00")
    assert desk.abandon().status_code == 200
    assert desk.account()["anchor"]["id"] == proof["id"]
    assert ben.post("/api/reconciliations/accounts/999999/abandon").status_code == 404


def test_what_cannot_be_cleared_is_named(dan, bank, desk, lines, proof):
    desk.put("2026-11-20", "850.00")
    pending = bank.send("2026-11-02", "-1.00", "Pending", status="PENDING")
    foreign = bank.of(dan).send("2026-11-02", "-1.00", "Of another")
    assert desk.clear(cleared=[pending]).json["code"] == "pending"
    assert desk.clear(cleared=[lines[0]]).json["code"] == "reconciled"
    for unknown in (foreign, 10**15):
        refused = desk.clear(cleared=[unknown])
        assert (refused.status_code, list(refused.json["fields"])) == (422, ["cleared.0"])
    assert desk.clear().status_code == 422
    assert desk.clear(auto=True, cleared=[pending]).status_code == 422
    assert desk.account()["draft"]["clearedCount"] == 0


def test_the_lines_of_a_draft_are_listed_a_page_at_a_time(ben, bank, desk, lines):
    bank.send("2026-11-02", "-1.00", "After the statement")
    desk.put()
    desk.clear(cleared=lines[:1])
    path = f"/api/reconciliations/accounts/{bank.fa_id}?limit=3"
    first = ben.get(path).json
    second = ben.get(f"{path}&cursor={first['nextCursor']}").json
    listed = [*first["lines"], *second["lines"]]
    assert [line["transactionId"] for line in listed] == lines[::-1]
    assert [line["cleared"] for line in listed] == [False, False, False, True]
    assert second["nextCursor"] is None


def test_a_card_is_reconciled_with_debt_negative(bank, desk):
    bank.open("Card", type_="LIABILITY")
    spent = bank.send_many([("2026-10-02", "-40.00", "Lunch"), ("2026-10-03", "-2.50", "Coffee")])
    for line in spent:
        desk.confirm(line)
    desk.put(balance="-42.50")
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    assert (proof["statementBalance"], proof["ledgerBalance"]) == ("-42.50", "-42.50")


def test_an_account_abroad_is_reconciled_in_its_own_currency(bank, desk):
    bank.quote("2026-10-01", "USD", "1.1")
    bank.open("Dollars", "USD")
    desk.confirm(bank.send("2026-10-05", "110.00", "Sale"))
    desk.put(balance="110.00")
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    assert (proof["currency"], proof["ledgerBalance"]) == ("USD", "110.00")


def test_another_organizations_account_does_not_exist(dan, bank, desk, proof):
    path = f"/api/reconciliations/accounts/{bank.fa_id}"
    unknown = dan.get("/api/reconciliations/accounts/999999")
    assert unknown.status_code == 404
    answers = [
        dan.get(path),
        desk.of(dan).put(),
        desk.of(dan).clear(auto=True),
        desk.of(dan).complete(),
        desk.of(dan).reopen(),
    ]
    assert {(answer.status_code, answer.get_data()) for answer in answers} == {(404, unknown.get_data())}
    assert desk.of(dan).abandon().json == {"error": "There is nothing here.", "code": "not_found"}
    one, other = dan.get(f"/api/reconciliations/{proof['id']}"), dan.get("/api/reconciliations/999999")
    assert (one.status_code, one.get_data()) == (404, other.get_data())


def test_who_only_reads_reconciles_nothing(cleo, desk, lines):
    assert desk.of(cleo).put().status_code == 403
    assert cleo.get("/api/reconciliations/accounts").status_code == 200
