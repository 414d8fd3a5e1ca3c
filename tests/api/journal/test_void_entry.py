"""Voiding: one reversal cancels an entry as it stands, and a bank line gets a new draft."""

import pytest

from tests.fixtures.helpers.book_texts import lines
from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.transfers import line_of


def confirm(person, line):
    return person.post(f"/api/transactions/{line}/confirm").json


def posted(person, line):
    return confirm(person, line)["result"]["journalEntryIds"][0]


def void(person, entry_id, **body):
    return person.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "A mistake", **body})


def entry_of(person, entry_id):
    return person.get(f"/api/journal-entries/{entry_id}").json["entry"]


def test_a_void_reverses_and_gives_the_line_a_fresh_draft(ada, train, books):
    entry_id = posted(ada, train)
    answer = void(ada, entry_id)
    assert answer.status_code == 200
    reversal, fresh = answer.json["result"]["journalEntryIds"]
    assert answer.json["changed"] is True
    assert answer.json["result"]["voidedJournalEntryIds"] == [entry_id]
    assert answer.json["result"]["deletedJournalEntryIds"] == []
    assert line_of(ada, train)["journalEntryId"] == fresh
    assert entry_of(ada, reversal)["source"] == "void"
    assert books.balances() == []
    assert books.entries() == lines("""
        2026-03-02 VOIDED DB ICE 571
            Main account            -100.00 EUR
            Uncategorised expenses   100.00 EUR
        2026-03-02 POSTED DB ICE 571
            Main account             100.00 EUR
            Uncategorised expenses  -100.00 EUR
        2026-03-02 DRAFT DB ICE 571
            Main account            -100.00 EUR
            Uncategorised expenses   100.00 EUR
    """)


def test_a_void_cancels_the_corrections_and_the_marker_too(ada, train, books):
    travel, meals = books.account_id("Travel"), books.account_id("Entertainment")
    original = posted(ada, train)
    ada.patch(f"/api/transactions/{train}", json={"accountId": travel})
    correction = posted(ada, train)
    marker = ada.patch(f"/api/transactions/{train}", json={"accountId": meals}).json["transaction"][
        "correctionMarkerId"
    ]
    result = void(ada, original).json["result"]
    assert result["voidedJournalEntryIds"] == [original, correction]
    assert result["deletedJournalEntryIds"] == [marker]
    reversal, fresh = (entry_of(ada, entry_id) for entry_id in result["journalEntryIds"])
    assert {(p["accountName"], p["amount"]) for p in reversal["postings"]} == {
        ("Main account", "100.00"),
        ("Travel", "-100.00"),
    }
    assert {(p["accountName"], p["amount"]) for p in fresh["postings"]} == {
        ("Main account", "-100.00"),
        ("Travel", "100.00"),
    }
    assert (reversal["origin"]["kind"], fresh["source"]) == ("transaction", "bank_feed")
    assert books.balances() == []
    assert ada.get(f"/api/journal-entries/{marker}").status_code == 404


def test_un_confirming_again_and_again(ada, train, books):
    """Void, edit, confirm: that is how one un-confirms, as often as one likes."""
    for name in ("Travel", "Entertainment", "Software"):
        entry_id = posted(ada, train)
        assert void(ada, entry_id).status_code == 200
        ada.patch(f"/api/transactions/{train}", json={"accountId": books.account_id(name)})
    posted(ada, train)
    assert books.balances() == lines("""
        Main account  -100.00 EUR
        Software       100.00 EUR
    """)
    assert sum("VOIDED" in entry for entry in books.entries()) == 3


def test_splits_survive_a_void(ada, bank, train, books):
    splits = [
        {
            "accountId": books.account_id("Travel"),
            "amount": "-105.00",
            "projectId": bank.project("P"),
            "orgMerchantId": None,
        },
        {
            "accountId": books.account_id("Travel"),
            "amount": "5.00",
            "projectId": None,
            "orgMerchantId": bank.merchant("DB"),
        },
    ]
    ada.patch(f"/api/transactions/{train}", json={"splits": splits})
    void(ada, posted(ada, train))
    assert line_of(ada, train)["splits"] == splits


def test_the_reversal_is_dated_the_first_open_day(ada, bank, train, books):
    entry_id = posted(ada, train)
    bank.lock("2026-03-31")
    reversal, fresh = void(ada, entry_id).json["result"]["journalEntryIds"]
    assert entry_of(ada, reversal)["effectiveAt"] == "2026-04-01T00:00:00Z"
    assert entry_of(ada, fresh)["effectiveAt"] == "2026-04-01T00:00:00Z"
    assert confirm(ada, train)["changed"] is True


def test_the_reversal_is_no_earlier_than_the_latest_correction(ada, bank, train, books):
    original = posted(ada, train)
    ada.patch(f"/api/transactions/{train}", json={"accountId": books.account_id("Travel")})
    bank.lock("2026-03-31")
    posted(ada, train)
    bank.lock(None)
    assert void(ada, original, effectiveAt="2026-03-31T00:00:00Z").status_code == 422
    reversal, _ = void(ada, original).json["result"]["journalEntryIds"]
    assert entry_of(ada, reversal)["effectiveAt"] == "2026-04-01T00:00:00Z"


@pytest.mark.parametrize("day", ["2026-05-01", "2026-05-01T00:00:00Z"])
def test_a_later_day_may_be_named(ada, train, day):
    reversal, fresh = void(ada, posted(ada, train), effectiveAt=day).json["result"]["journalEntryIds"]
    assert (
        entry_of(ada, reversal)["effectiveAt"]
        == entry_of(ada, fresh)["effectiveAt"]
        == "2026-05-01T00:00:00Z"
    )


def test_an_earlier_day_is_refused(ada, train):
    answer = void(ada, posted(ada, train), effectiveAt="2026-03-01")
    assert (answer.status_code, answer.json["code"]) == (422, "void_day")
    assert list(answer.json["fields"]) == ["effectiveAt"]


def test_a_locked_day_is_refused(ada, bank, train):
    entry_id = posted(ada, train)
    bank.lock("2026-04-30")
    answer = void(ada, entry_id, effectiveAt="2026-04-15")
    assert (answer.status_code, answer.json["code"]) == (409, "period_locked")


def test_a_line_that_the_bank_took_back_gets_no_draft(ada, bank, train):
    entry_id = posted(ada, train)
    bank.set_state(train, "REMOVED")
    assert len(void(ada, entry_id).json["result"]["journalEntryIds"]) == 1
    assert line_of(ada, train)["journalEntryId"] is None


def test_a_foreign_entry_is_reversed_exactly_and_drafted_at_its_own_days_rate(ada, bank, books):
    bank.quote("2026-03-01", "USD", "1.0842")
    bank.open("Dollar account", "USD")
    line = bank.send("2026-03-02", "-10.00", "Hosting")
    entry_id = posted(ada, line)
    bank.quote("2026-04-01", "USD", "2.0000")
    bank.lock("2026-04-01")
    reversal, fresh = void(ada, entry_id).json["result"]["journalEntryIds"]
    assert [p["amountBase"] for p in entry_of(ada, reversal)["postings"]] == ["9.22", "-9.22"]
    assert [p["amountBase"] for p in entry_of(ada, fresh)["postings"]] == ["-9.22", "9.22"]


@on_sqlite
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"reason": ""},
        {"reason": None},
        {"reason": "x" * 2001},
        {"reason": 5},
        {"reason": "r", "more": 1},
        {"reason": "r", "effectiveAt": "tomorrow"},
    ],
    ids=lambda body: str(body)[:40],
)
def test_a_void_says_why(ada, train, body):
    entry_id = posted(ada, train)
    assert ada.post(f"/api/journal-entries/{entry_id}/void", json=body).status_code == 422
    assert entry_of(ada, entry_id)["status"] == "POSTED"


def test_can_void_is_true_exactly_when_the_call_succeeds(ada, bank, books):
    """Every entry that there is: drafts, markers, originals, corrections, reversals, voided and manual ones."""
    lines_ = [bank.send("2026-03-02", f"{amount}.00") for amount in (0, 5, -7, 9)]
    for line in lines_[:3]:
        confirm(ada, line)
    for line in lines_[1:3]:
        ada.patch(f"/api/transactions/{line}", json={"accountId": books.account_id("Travel")})
    confirm(ada, lines_[1])
    void(ada, line_of(ada, lines_[0])["journalEntryId"])
    for post in (True, False):
        postings = [
            {"accountId": books.account_id("Travel"), "amount": "5.00"},
            {"accountId": books.account_id("Petty cash"), "amount": "-5.00"},
        ]
        body = {"effectiveAt": "2026-03-02", "postings": postings, "post": post}
        assert ada.post("/api/journal-entries", json=body).status_code == 201
    entries = ada.get("/api/journal-entries?limit=200").json["entries"]
    assert len({(entry["status"], entry["source"]) for entry in entries}) >= 7
    for entry in entries:
        answer = void(ada, entry["id"])
        present = entry_of(ada, entry["id"])
        if entry["canVoid"]:
            assert (answer.status_code, present["status"], present["canVoid"]) == (200, "VOIDED", False)
        else:
            assert (answer.status_code, present["canVoid"]) == (409, False)
            assert answer.json["code"] in ("draft", "voided", "correction", "not_voidable")


def test_what_cannot_be_voided_names_what_to_void_instead(ada, train, books):
    original = posted(ada, train)
    ada.patch(f"/api/transactions/{train}", json={"accountId": books.account_id("Travel")})
    correction = posted(ada, train)
    answer = void(ada, correction)
    assert answer.json["details"] == {"journalEntryId": original}
    assert f"corrects entry {original}; void that one" in answer.json["error"]
    reversal = void(ada, original).json["result"]["journalEntryIds"][0]
    assert void(ada, original).json["details"] == {"voidedById": reversal}


def test_the_fresh_draft_of_a_line_of_nothing_keeps_its_account(ada, bank, books):
    line = bank.send("2026-03-02", "0.00", "Card fee waived")
    travel = books.account_id("Travel")
    ada.patch(f"/api/transactions/{line}", json={"accountId": travel})
    assert void(ada, posted(ada, line)).status_code == 200
    assert line_of(ada, line)["accountId"] == travel
