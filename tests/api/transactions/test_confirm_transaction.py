"""Confirming a line: its draft becomes part of the books, once and for good."""

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.transfers import line_of
from webapp.database.sessions import db
from webapp.models import Posting

NOTHING = {
    "journalEntryIds": [],
    "documentRelationIds": [],
    "deletedJournalEntryIds": [],
    "voidedJournalEntryIds": [],
}


def confirm(person, line, **options):
    return person.post(f"/api/transactions/{line}/confirm", **options)


def test_a_fresh_draft_is_posted(ada, train, books):
    draft = line_of(ada, train)["journalEntryId"]
    answer = confirm(ada, train, json={"note": "Trip to Leipzig"})
    assert answer.status_code == 200
    assert answer.json == {
        "actionRequestId": answer.json["actionRequestId"],
        "status": "EXECUTED",
        "changed": True,
        "result": {**NOTHING, "journalEntryIds": [draft]},
        "error": "",
    }
    assert books.balances() == lines("""
        Main account            -100.00 EUR
        Uncategorised expenses   100.00 EUR
    """)


def test_a_repeat_writes_nothing_and_answers_the_same(ada, ben, train):
    first = confirm(ada, train, json={"note": "first"}).json
    acts = ada.get("/api/action-requests").json["actionRequests"]
    repeat = confirm(ben, train, json={"note": "second"})
    assert repeat.status_code == 200
    assert repeat.json == {**first, "changed": False}
    assert ada.get("/api/action-requests").json["actionRequests"] == acts


def test_the_act_is_recorded_with_who_and_why(ada, train):
    request_id = confirm(ada, train, json={"note": "Trip to Leipzig"}).json["actionRequestId"]
    act = ada.get(f"/api/action-requests/{request_id}").json["actionRequest"]
    assert request_id.startswith("ar_")
    assert act["kind"] == "confirm_transaction"
    assert act["status"] == "EXECUTED"
    assert act["actor"] == {"kind": "TOKEN", "id": ada.token_id, "name": "Ada's program"}
    assert act["target"] == {"kind": "transaction", "id": str(train)}
    assert act["note"] == "Trip to Leipzig"
    assert act["before"] == {"status": "DRAFT"}
    assert act["after"]["status"] == "POSTED"


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"json": {}},
        {"json": {"note": None}},
        {"json": {"note": ""}},
        {"json": {"note": "x" * 2000}},
        {"json": {"note": "🧾" * 2000}},
        {"json": {"unknown": {"keys": "are ignored"}}},
        {"query_string": {"unknown": "parameters"}, "json": {}},
        {"headers": {"Content-Type": "text/plain"}},
        {"headers": {"Content-Type": "application/json"}},
    ],
    ids=str,
)
def test_a_note_is_optional(ada, train, body):
    assert confirm(ada, train, **body).json.get("changed") is True


@on_sqlite
@pytest.mark.parametrize("note", ["x" * 2001, "🧾" * 2001, 5, True, [], {}, "a\0b", "\ud800"], ids=ascii)
def test_a_note_that_cannot_be_taken_posts_nothing(ada, train, note):
    answer = confirm(ada, train, json={"note": note})
    assert answer.status_code == 422
    assert list(answer.json["fields"]) == ["note"]
    assert line_of(ada, train)["entryStatus"] == "DRAFT"


def test_a_marker_becomes_a_correction(ada, bank, train, books):
    original = confirm(ada, train).json["result"]["journalEntryIds"][0]
    travel = books.account_id("Travel")
    marker = ada.patch(f"/api/transactions/{train}", json={"accountId": travel}).json["transaction"]
    answer = confirm(ada, train).json
    (correction,) = answer["result"]["journalEntryIds"]
    assert answer["changed"] is True
    assert answer["result"] == {
        **NOTHING,
        "journalEntryIds": [correction],
        "deletedJournalEntryIds": [marker["correctionMarkerId"]],
    }
    entry = ada.get(f"/api/journal-entries/{correction}").json["entry"]
    assert (entry["status"], entry["source"]) == ("POSTED", "correction")
    assert entry["correctsJournalEntryId"] == original
    assert entry["origin"]["kind"] == "transaction"
    assert books.entries() == lines("""
        2026-03-02 POSTED DB ICE 571
            Main account            -100.00 EUR
            Uncategorised expenses   100.00 EUR
        2026-03-02 POSTED DB ICE 571
            Uncategorised expenses  -100.00 EUR
            Travel                   100.00 EUR
    """)
    line = line_of(ada, train)
    assert (line["accountId"], line["correctionMarkerId"], line["entryStatus"]) == (travel, None, "POSTED")
    assert confirm(ada, train).json == {**answer, "changed": False}
    assert ada.get(f"/api/journal-entries/{marker['correctionMarkerId']}").status_code == 404


def test_a_marker_without_a_difference_is_deleted(ada, bank, train, books):
    travel = books.account_id("Travel")
    confirm(ada, train)
    marker = ada.patch(f"/api/transactions/{train}", json={"accountId": travel}).json["transaction"][
        "correctionMarkerId"
    ]
    aim_at_what_stands(bank, marker)
    answer = confirm(ada, train).json
    assert answer["changed"] is False
    assert answer["result"] == {**NOTHING, "deletedJournalEntryIds": [marker]}
    assert line_of(ada, train)["correctionMarkerId"] is None
    assert len(books.entries()) == 3


def aim_at_what_stands(bank, marker_id):
    """Leave a marker that says what is in the books already, as no patch does."""
    standing = bank.role("uncategorised_expenses")
    legs = sa.update(Posting).where(Posting.journal_entry_id == marker_id, ~Posting.is_bank_leg)
    legs = legs.execution_options(synchronize_session=False)
    bank.ask(lambda: db.session.execute(legs.values(account_id=standing)))


@pytest.mark.parametrize("state", ["PENDING", "REMOVED", "DELETED", "SET_ASIDE"])
def test_only_booked_lines_are_confirmed(ada, bank, train, state):
    bank.set_state(train, state)
    answer = confirm(ada, train)
    assert answer.status_code == 409
    assert answer.json["code"] == state.lower()


def test_a_refused_confirmation_is_recorded(ada, bank, train):
    bank.set_state(train, "PENDING")
    confirm(ada, train, json={"note": "too early"})
    (act,) = ada.get("/api/action-requests?kind=confirm_transaction").json["actionRequests"]
    assert (act["status"], act["note"]) == ("FAILED", "too early")
    assert act["error"] == "The bank may still change this line. Confirm it when it is booked."


def test_a_foreign_line_waits_for_its_rate(ada, bank):
    bank.open("Dollar account", "USD")
    line = bank.send("2026-03-02", "-54.21", "Hosting")
    answer = confirm(ada, line)
    assert (answer.status_code, answer.json["code"]) == (409, "exchange_rate_missing")
    assert answer.json["details"] == {"missingRates": [{"day": "2026-03-02", "currency": "USD"}]}
    entry = ada.get(f"/api/journal-entries/{line_of(ada, line)['journalEntryId']}").json["entry"]
    assert [posting["amountBase"] for posting in entry["postings"]] == [None, None]


def test_a_foreign_line_is_mirrored_at_the_rate_of_its_day(ada, bank, books):
    bank.quote("2026-02-27", "USD", "1.0842")
    bank.open("Dollar account", "USD")
    line = bank.send("2026-03-02", "-54.21", "Hosting")
    (entry_id,) = confirm(ada, line).json["result"]["journalEntryIds"]
    entry = ada.get(f"/api/journal-entries/{entry_id}").json["entry"]
    assert [(p["amount"], p["currency"], p["amountBase"]) for p in entry["postings"]] == [
        ("-54.21", "USD", "-50.00"),
        ("54.21", "USD", "50.00"),
    ]
    assert entry["baseCurrency"] == "EUR"


def test_a_correction_is_mirrored_at_the_rate_of_its_original(ada, bank, books):
    bank.quote("2026-02-27", "USD", "1.0842")
    bank.open("Dollar account", "USD")
    line = bank.send("2026-03-02", "-54.21", "Hosting")
    confirm(ada, line)
    bank.quote("2026-03-01", "USD", "2.0000")
    ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Hosting")})
    (correction,) = confirm(ada, line).json["result"]["journalEntryIds"]
    entry = ada.get(f"/api/journal-entries/{correction}").json["entry"]
    assert sorted(p["amountBase"] for p in entry["postings"]) == ["-50.00", "50.00"]


def test_a_card_keeps_the_account_holders_sign(ada, bank, books):
    bank.open("Card", type_="LIABILITY")
    line = bank.send("2026-03-02", "-12.50", "Coffee")
    (entry_id,) = confirm(ada, line).json["result"]["journalEntryIds"]
    bank_leg, counter_leg = ada.get(f"/api/journal-entries/{entry_id}").json["entry"]["postings"]
    assert (bank_leg["accountType"], bank_leg["amount"], bank_leg["isBankLeg"]) == (
        "LIABILITY",
        "-12.50",
        True,
    )
    assert (counter_leg["amount"], counter_leg["isBankLeg"]) == ("12.50", False)


def test_an_account_that_asks_for_a_merchant_gets_one_first(ada, bank, train):
    fussy = bank.account("Entertainment of guests", requires_counterparty=True)
    ada.patch(f"/api/transactions/{train}", json={"accountId": fussy})
    answer = confirm(ada, train)
    assert (answer.status_code, answer.json["code"]) == (409, "counterparty_required")
    ada.patch(f"/api/transactions/{train}", json={"orgMerchantId": bank.merchant("Deutsche Bahn")})
    assert confirm(ada, train).json["changed"] is True


def test_nothing_new_comes_to_an_account_that_was_archived_since(ada, bank, train):
    travel, food = bank.account("Travel by train"), bank.account("Food on trains")
    choose(ada, train, travel)
    archive(ada, travel)
    refused = confirm(ada, train)
    assert (refused.status_code, refused.json["code"]) == (409, "archived")
    assert refused.json["error"] == (
        "“Travel by train” is archived. Choose another account or restore it, then post."
    )
    archive(ada, travel, is_archived=False)
    assert confirm(ada, train).json["changed"] is True
    choose(ada, train, food)
    archive(ada, food)
    assert confirm(ada, train).json["code"] == "archived"


def test_what_stands_on_an_account_that_was_archived_since_is_corrected_and_voided(ada, bank, train):
    travel = bank.account("Travel by train")
    choose(ada, train, travel)
    confirm(ada, train)
    archive(ada, travel)
    assert (
        ada.patch(f"/api/transactions/{train}", json={"projectId": bank.project("Fair")}).status_code == 200
    )
    assert confirm(ada, train).json["changed"] is True
    choose(ada, train, bank.role("uncategorised_expenses"))
    assert confirm(ada, train).json["changed"] is True
    entry_id = line_of(ada, train)["journalEntryId"]
    assert ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"}).status_code == 200


def choose(person, line, account_id):
    assert person.patch(f"/api/transactions/{line}", json={"accountId": account_id}).status_code == 200


def archive(person, account_id, *, is_archived=True):
    body = {"isArchived": is_archived}
    assert person.patch(f"/api/accounts/{account_id}", json=body).status_code == 200


def test_a_line_of_nothing_is_confirmed_and_voided_too(ada, bank, books):
    line = bank.send("2026-03-02", "0.00", "Zero")
    (entry_id,) = confirm(ada, line).json["result"]["journalEntryIds"]
    assert ada.get(f"/api/journal-entries/{entry_id}").json["entry"]["canVoid"] is True
    assert ada.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "r"}).status_code == 200
    assert confirm(ada, line).json["changed"] is True


def test_the_draft_of_a_line_in_a_locked_period_is_posted_on_the_first_open_day(ada, bank, books):
    bank.lock("2026-03-31")
    line = bank.send("2026-03-02", "-100.00", "DB ICE 571")
    confirm(ada, line)
    assert books.entries()[0] == "2026-04-01 POSTED DB ICE 571"
    assert line_of(ada, line)["bookedOn"] == "2026-03-02"


def test_nothing_is_posted_into_a_locked_period(ada, bank, train, books):
    bank.lock("2026-03-02")
    answer = confirm(ada, train)
    assert (answer.status_code, answer.json["code"]) == (409, "period_locked")


def test_a_correction_of_a_locked_entry_is_dated_the_first_open_day(ada, bank, train, books):
    confirm(ada, train)
    ada.patch(f"/api/transactions/{train}", json={"accountId": books.account_id("Travel")})
    bank.lock("2026-03-31")
    confirm(ada, train)
    assert [entry for entry in books.entries() if "POSTED" in entry] == [
        "2026-03-02 POSTED DB ICE 571",
        "2026-04-01 POSTED DB ICE 571",
    ]
