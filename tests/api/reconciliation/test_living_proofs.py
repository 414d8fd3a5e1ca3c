"""A proof that stops holding says at once who broke it, and what mended it stays written beside it."""

import io

import pytest

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import Feed, line
from webapp.database.sessions import db
from webapp.models import Transaction


@pytest.fixture
def lines(bank, desk):
    """Three lines of October and November, and the proofs of both months."""
    found = bank.send_many(
        [("2026-10-02", "100.00", "In"), ("2026-10-03", "-40.00", "Out"), ("2026-11-02", "5.00", "Interest")]
    )
    desk.confirm(*found[:2])
    return found


@pytest.fixture
def october(lines, desk):
    return desk.prove("2026-10-31", "60.00")


@pytest.fixture
def november(october, lines, desk):
    desk.confirm(lines[2])
    return desk.prove("2026-11-20", "65.00")


def entry_of(desk, line):
    return desk.line(line)["journalEntryId"]


def manual(person, bank, day, amount):
    legs = [(bank.ledger_account(), amount), (bank.account("Cash box", "ASSET"), f"-{amount}")]
    postings = [{"accountId": account, "amount": each, "currency": "EUR"} for account, each in legs]
    body = {"effectiveAt": day, "description": "By hand", "postings": postings, "post": True}
    answer = person.post("/api/journal-entries", json=body)
    assert answer.status_code == 201, answer.json
    return answer.json["entry"]["id"]


def import_file(person, *sent, account="4711"):
    data = {"file": (io.BytesIO(bank_file(*sent, account=account)), "late.ofx")}
    answer = person.post("/api/feeds/imports", data=data, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    return answer.json["import"]


def test_a_void_breaks_the_proof_in_its_own_act_and_confirming_again_mends_it(ben, desk, lines, october):
    entry = entry_of(desk, lines[1])
    act = desk.void(entry)
    broken = desk.proof(october["id"])
    assert desk.account()["status"] == "needs"
    assert broken["holds"] is False
    assert broken["brokenBy"] == broken["history"][0]["brokenBy"]
    assert broken["brokenBy"] == {
        "journalEntryId": entry,
        "transactionId": lines[1],
        "actionRequestId": act["actionRequestId"],
        "actor": {"kind": "TOKEN", "id": ben.token_id, "name": "Ben's program"},
        "field": "entryStatus",
        "before": "POSTED",
        "after": "VOIDED",
        "at": broken["brokenBy"]["at"],
    }
    desk.confirm(lines[1])
    mended = desk.proof(october["id"])
    assert (mended["holds"], mended["brokenBy"]) == (True, None)
    [told] = mended["history"]
    assert (told["repair"], told["repairedBy"]["name"]) == ("UNDONE", "Ben's program")
    assert told["repairedAt"] >= told["brokenBy"]["at"]


def figures(tried):
    (change,) = tried.json["effect"]["proofs"]
    keys = ("statementBalance", "clearedNow", "offBy", "holds", "clearedBefore", "offByBefore")
    return [change[key] for key in keys]


def test_what_would_break_or_mend_a_proof_is_told_with_figures_before_and_after(ben, desk, lines, october):
    """The figures were those of before, beside a flag of after."""
    stated = october["statementBalance"]
    entry = entry_of(desk, lines[1])
    path = f"/api/journal-entries/{entry}/void?dryRun=true"
    broken = figures(ben.post(path, json={"reason": "A slip"}))
    assert broken[:1] + broken[3:] == [stated, False, stated, "0.00"]
    assert broken[2] != "0.00"
    desk.void(entry)
    path = f"/api/transactions/{lines[1]}/confirm?dryRun=true"
    assert figures(ben.post(path, json={})) == [stated, stated, "0.00", True, *broken[1:3]]
    summary = ben.post(f"{path}&view=summary", json={}).json["summary"]
    assert [each["offBy"] for each in summary["mended"]] == ["0.00"]


def test_breaking_and_mending_again_is_told_twice(desk, lines, october):
    for _ in range(2):
        desk.void(entry_of(desk, lines[0]))
        desk.confirm(lines[0])
    history = desk.proof(october["id"])["history"]
    assert [each["repair"] for each in history] == ["UNDONE", "UNDONE"]


def test_every_proof_that_a_void_reaches_is_broken_and_an_earlier_one_is_not(desk, lines, october, november):
    desk.void(entry_of(desk, lines[2]))
    assert [desk.proof(each["id"])["holds"] for each in (october, november)] == [True, False]
    desk.void(entry_of(desk, lines[0]))
    assert [desk.proof(each["id"])["holds"] for each in (october, november)] == [False, False]


def test_an_entry_by_hand_dated_inside_is_named(ben, bank, desk, october):
    entry = manual(ben, bank, "2026-10-20", "7.00")
    culprit = desk.proof(october["id"])["brokenBy"]
    assert (culprit["field"], culprit["journalEntryId"], culprit["after"]) == ("arrival", entry, "7.00")
    desk.void(entry)
    assert desk.proof(october["id"])["holds"] is True


def test_an_entry_by_hand_after_the_statement_breaks_nothing(ben, bank, desk, october):
    manual(ben, bank, "2026-11-01", "7.00")
    assert desk.proof(october["id"])["history"] == []


def test_a_late_file_is_named_and_taking_it_back_mends(ben, desk):
    first = import_file(ben, Line("2026-10-02", "100.00", "A1"))
    desk.bank.fa_id = first["accounts"][0]["faId"]
    line = ben.get("/api/transactions").json["transactions"][0]["id"]
    desk.confirm(line)
    proof = desk.prove("2026-10-31", "100.00")
    late = import_file(ben, Line("2026-10-15", "-5.00", "B1"))
    culprit = desk.proof(proof["id"])["brokenBy"]
    request = ben.get(f"/api/action-requests/{culprit['actionRequestId']}").json["actionRequest"]
    assert request["target"] == {"kind": "import", "id": str(late["id"])}
    assert (culprit["field"], culprit["before"], culprit["after"]) == ("arrival", None, "-5.00")
    assert ben.delete(f"/api/feeds/imports/{late['id']}").status_code == 200
    assert desk.proof(proof["id"])["holds"] is True


def test_a_line_brought_back_inside_is_named(ben, bank, desk, lines):
    extra = bank.send("2026-10-09", "-1.00", "Fee")
    assert ben.delete(f"/api/transactions/{extra}").status_code == 200
    proof = desk.prove("2026-10-31", "60.00")
    assert ben.post(f"/api/transactions/{extra}/restore").status_code == 200
    culprit = desk.proof(proof["id"])["brokenBy"]
    assert (culprit["field"], culprit["transactionId"]) == ("arrival", extra)


def test_what_was_written_past_every_act_is_judged_on_reading_and_blamed_on_nobody_else(
    ben, bank, desk, lines, october
):
    def restore():
        db.session.get_one(Transaction, (ben.organization_id, lines[0])).amount_minor = 10000

    def change():
        db.session.get_one(Transaction, (ben.organization_id, lines[0])).amount_minor = 9900

    bank.ask(change)
    assert desk.proof(october["id"])["holds"] is False
    assert ben.post("/api/projects", json={"name": "Elsewhere"}).status_code == 201
    broken = desk.proof(october["id"])
    assert broken["brokenBy"]["field"] == "amount"
    assert (
        broken["brokenBy"]["actionRequestId"]
        != ben.get("/api/action-requests").json["actionRequests"][0]["id"]
    )
    bank.ask(restore)
    assert desk.proof(october["id"])["holds"] is True


def test_confirming_what_was_left_open_breaks_nothing(bank, desk, lines):
    left = bank.send("2026-10-30", "-3.00", "Left open")
    proof = desk.prove("2026-10-31", "60.00")
    desk.confirm(left)
    assert desk.proof(proof["id"])["holds"] is True


def test_reopening_goes_from_the_newest_back_to_the_broken_one_in_one_act(
    ben, desk, lines, october, november
):
    desk.void(entry_of(desk, lines[0]))
    before = len(ben.get("/api/action-requests").json["actionRequests"])
    body = {"reason": "From the beginning", "reconciliationId": october["id"]}
    account = ben.post(f"{desk.path}/reopen", json=body).json["account"]
    assert (account["anchor"], account["draft"]["statementDate"]) == (None, "2026-10-31")
    assert len(ben.get("/api/action-requests").json["actionRequests"]) == before + 1
    for each in (october, november):
        proof = desk.proof(each["id"])
        assert (proof["status"], proof["history"][0]["repair"]) == ("REOPENED", "REOPENED")
    desk.abandon()


def test_accepting_proves_the_same_statement_again_where_nothing_is_off(
    ben, bank, desk, lines, october, november
):
    entry = manual(ben, bank, "2026-10-20", "7.00")
    answer = ben.post(
        f"{desk.path}/accept", json={"reconciliationId": october["id"], "reason": "Cash, not bank"}
    )
    assert answer.status_code == 200, answer.json
    again = answer.json["reconciliation"]
    assert (again["statementDate"], again["statementBalance"]) == ("2026-10-31", "60.00")
    assert [each["journalEntryId"] for each in again["outstanding"]] == [entry]
    account = desk.account()
    assert (account["status"], account["anchor"]["statementDate"]) == ("reconciled", "2026-11-20")
    assert desk.proof(account["anchor"]["id"])["previousDigest"] == again["digest"]
    assert desk.proof(october["id"])["history"][0]["repair"] == "ACCEPTED"


def test_accepting_what_is_off_or_holds_is_refused_and_changes_nothing(ben, desk, lines, october):
    path, body = f"{desk.path}/accept", {"reconciliationId": october["id"]}
    assert ben.post(path, json=body).json["code"] == "holds"
    desk.void(entry_of(desk, lines[1]))
    refused = ben.post(path, json=body)
    assert (refused.status_code, refused.json["code"]) == (409, "unconfirmed")
    assert desk.proof(october["id"])["status"] == "COMPLETED"
    assert ben.post(path, json={"reconciliationId": 2**53}).status_code == 422


@pytest.fixture
def fed(ada, bank, desk):
    """A feed of which one line is confirmed and proved; answers the feed, the line and the proof."""
    feed = Feed(ada, bank.open("Fed account"))
    feed.push("one", added=[line("A1", "100.00", "2026-10-02", "In")])
    [found] = ada.get("/api/transactions", query_string={"faId": bank.fa_id}).json["transactions"]
    desk.confirm(found["id"])
    return feed, found["id"], desk.prove("2026-10-31", "100.00")


def test_a_line_that_the_bank_takes_back_is_named(desk, fed):
    feed, taken, proof = fed
    feed.push("two", removed=["A1"])
    culprit = desk.proof(proof["id"])["brokenBy"]
    assert (culprit["transactionId"], culprit["actor"]["name"]) == (taken, "Ada's program")
    assert (culprit["field"], culprit["before"], culprit["after"]) == ("lineStatus", "BOOKED", "REMOVED")
    documented = desk.person.get("/api/openapi.json").json["components"]["schemas"]["BrokenBy"]["properties"]
    assert "lineStatus" in documented["field"]["enum"]
    assert culprit["actionRequestId"] is not None


@pytest.mark.parametrize("by", ["the bank", "a person"])
def test_a_line_that_the_bank_takes_back_heals_its_proof_when_it_comes_back(bank, desk, fed, by):
    feed, taken, proof = fed
    feed.push("two", removed=["A1"])
    assert desk.proof(proof["id"])["holds"] is False
    if by == "the bank":
        assert feed.verdicts(added=[line("A1", "100.00", "2026-10-02", "In")]) == ["RETURNED"]
    else:
        assert desk.person.post(f"/api/transactions/{taken}/restore").status_code == 200
    assert desk.proof(proof["id"])["holds"] is True
    assert desk.account()["status"] == "reconciled"


@pytest.mark.parametrize(
    ("day", "amount", "told"),
    [
        ("2026-10-02", "90.00", ("amount", "100.00", "90.00")),
        ("2026-10-05", "100.00", ("bookedOn", "2026-10-02", "2026-10-05")),
    ],
)
def test_a_line_that_the_bank_changes_is_named(desk, fed, day, amount, told):
    feed, changed, proof = fed
    feed.push("two", modified=[line("A1", amount, day, "In")])
    culprit = desk.proof(proof["id"])["brokenBy"]
    assert culprit["transactionId"] == changed
    assert (culprit["field"], culprit["before"], culprit["after"]) == told
    feed.push("three", modified=[line("A1", "100.00", "2026-10-02", "In")])
    mended = desk.proof(proof["id"])
    assert (mended["holds"], [each["repair"] for each in mended["history"]]) == (True, ["UNDONE"])


def test_another_day_of_the_bank_can_be_accepted(ada, desk, fed):
    feed, _, proof = fed
    feed.push("two", modified=[line("A1", "100.00", "2026-10-05", "In")])
    answer = ada.post(f"{desk.path}/accept", json={"reconciliationId": proof["id"]})
    assert answer.status_code == 200, answer.json
    assert [each["bookedOn"] for each in answer.json["reconciliation"]["lines"]] == ["2026-10-05"]
