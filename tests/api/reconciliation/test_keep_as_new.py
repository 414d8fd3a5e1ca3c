"""Keeping an account as new: its books begin on a day with a balance, whatever lies before."""

import pytest


@pytest.fixture
def lines(bank):
    """A line before, one on and two after the day when the books begin; none is confirmed."""
    return bank.send_many(
        [
            ("2026-09-20", "-70.00", "Before"),
            ("2026-09-30", "-30.00", "On the day"),
            ("2026-10-05", "-40.00", "After"),
            ("2026-10-09", "500.00", "Long after"),
        ]
    )


def keep(desk, balance="1460.00", **more):
    facts = {"keepAsNew": True, "openingBalance": "1000.00", "openingDate": "2026-09-30", **more}
    return desk.put("2026-10-31", balance, **facts)


def test_the_draft_sets_aside_what_lies_before_and_abandoning_brings_it_back(desk, lines):
    draft = keep(desk).json["account"]
    assert draft["draft"]["openingBalance"] == "1000.00"
    assert (draft["unreconciledCount"], draft["unconfirmedCount"]) == (2, 2)
    assert desk.states(lines) == ["SET_ASIDE", "SET_ASIDE", "BOOKED", "BOOKED"]
    refused = desk.person.post(f"/api/transactions/{lines[0]}/confirm")
    assert (refused.status_code, refused.json["code"]) == (409, "set_aside")
    assert desk.clear(cleared=[lines[1]]).json["code"] == "set_aside"
    desk.abandon()
    assert desk.states(lines) == ["BOOKED"] * 4
    assert desk.line(lines[0])["entryStatus"] == "DRAFT"


def test_completing_posts_the_opening_entry(ben, desk, books, lines):
    keep(desk)
    desk.confirm(*lines[2:])
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    opening = ben.get(f"/api/journal-entries/{proof['openingEntryId']}").json["entry"]
    assert (opening["source"], opening["effectiveAt"]) == ("opening", "2026-09-30T00:00:00Z")
    assert [(leg["accountName"], leg["amount"], leg["isBankLeg"]) for leg in opening["postings"]] == [
        ("Main account", "1000.00", True),
        ("Opening balances", "-1000.00", False),
    ]
    assert opening["canVoid"] is False
    assert proof["ledgerBalance"] == "1460.00"
    assert "Main account 1460.00 EUR" in books.balances()
    found = desk.account()
    assert (found["status"], found["unreconciledCount"], found["anchor"]["holds"]) == ("reconciled", 0, True)


def test_the_opening_entry_absorbs_what_is_posted_already(bank, desk, books, lines):
    bank.lock("2026-10-01")
    moved = bank.send("2026-09-25", "-11.00", "Moved by a lock")
    desk.confirm(moved)
    bank.lock(None)
    desk.confirm(*lines)
    books.post(
        """
        2026-09-15 Cash paid in
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    keep(desk)
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    opening = desk.person.get(f"/api/journal-entries/{proof['openingEntryId']}").json["entry"]
    # 1000.00 less -70.00, -30.00 and -11.00 of lines set aside, and the 200.00 paid in.
    assert opening["postings"][0]["amount"] == "911.00"
    assert (proof["ledgerBalance"], proof["outstanding"], proof["inTransit"]) == ("1460.00", [], [])
    assert desk.account()["anchor"]["holds"] is True


def test_a_set_aside_line_that_a_lock_moved_past_the_statement_is_in_transit(bank, desk, lines):
    desk.confirm(*lines[2:])
    bank.lock("2026-11-15")
    moved = bank.send("2026-09-25", "-11.00", "Moved by a lock")
    desk.confirm(moved)
    bank.lock(None)
    keep(desk)
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    assert proof["ledgerBalance"] == "1471.00"
    assert [(item["transactionId"], item["amount"]) for item in proof["inTransit"]] == [(moved, "-11.00")]


def test_what_was_voided_on_both_sides_of_the_opening_day_leaves_nothing(bank, desk, books, lines):
    (entry,) = books.post(
        """
        2026-09-15 Cash paid in by mistake
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    bank.lock("2026-10-10")
    desk.void(entry)
    bank.lock(None)
    desk.confirm(*lines[2:])
    early = keep(desk, "960.00").json["account"]["draft"]
    moved = desk.put(
        "2026-10-07",
        "960.00",
        keepAsNew=True,
        openingBalance="1000.00",
        openingDate="2026-09-30",
        version=early["version"],
    )
    assert moved.status_code == 200
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    assert [(item["journalEntryId"], item["amount"]) for item in proof["outstanding"]] == [(entry, "200.00")]
    second = desk.prove("2026-10-31", "1460.00")
    assert (second["ledgerBalance"], second["outstanding"]) == ("1460.00", [])


def test_an_opening_balance_that_the_books_have_already_posts_nothing(desk, books, lines):
    books.post(
        """
        2026-09-01 Opening
            Main account    1000.00 EUR
            Petty cash     -1000.00 EUR
        """
    )
    keep(desk)
    desk.confirm(*lines[2:])
    desk.clear(auto=True)
    assert desk.complete().json["reconciliation"]["openingEntryId"] is None


def test_without_a_day_the_books_begin_before_the_first_line(desk, lines):
    draft = desk.put("2026-10-31", "1360.00", keepAsNew=True, openingBalance="1000.00").json["account"][
        "draft"
    ]
    assert draft["openingDate"] == "2026-09-19"


def test_while_the_proof_stands_nothing_is_posted_or_voided_before_it(ben, bank, desk, books, lines):
    (before,) = books.post(
        """
        2026-09-15 Cash paid in
            Main account    200.00 EUR
            Petty cash     -200.00 EUR
        """
    )
    desk.confirm(*lines)
    keep(desk)
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    for entry in (before, desk.line(lines[0])["journalEntryId"]):
        assert ben.get(f"/api/journal-entries/{entry}").json["entry"]["canVoid"] is False
        refused = ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"})
        assert (refused.status_code, refused.json["code"]) == (409, "before_opening")
        assert refused.json["details"]["reconciliationId"] == proof["id"]
    body = {
        "effectiveAt": "2026-09-30",
        "description": "Too early",
        "post": True,
        "postings": [
            {"accountId": bank.ledger_account(), "amount": "1.00"},
            {"accountId": bank.role("rounding"), "amount": "-1.00"},
        ],
    }
    refused = ben.post("/api/journal-entries", json=body)
    assert (refused.status_code, refused.json["code"]) == (409, "before_opening")
    assert ben.post("/api/journal-entries", json=body | {"effectiveAt": "2026-10-01"}).status_code == 201
    opening = ben.post(f"/api/journal-entries/{proof['openingEntryId']}/void", json={"reason": "Wrong"})
    assert opening.json["details"] == {"reconciliationId": proof["id"]}


def test_a_line_that_comes_later_from_before_is_set_aside_and_breaks_nothing(bank, desk, lines):
    keep(desk)
    desk.confirm(*lines[2:])
    desk.clear(auto=True)
    desk.complete()
    late = bank.send("2026-09-10", "-5.00", "Late", status="SET_ASIDE")
    assert desk.account()["status"] == "reconciled"
    deleted = bank.send("2026-09-11", "-6.00", "Deleted", status="DELETED")
    desk.person.post(f"/api/transactions/{deleted}/restore")
    assert desk.states([late, deleted]) == ["SET_ASIDE", "SET_ASIDE"]
    assert desk.account()["anchor"]["holds"] is True


def test_reopening_voids_the_opening_entry_on_its_own_day(ben, desk, books, lines):
    keep(desk)
    desk.confirm(*lines[2:])
    desk.clear(auto=True)
    proof = desk.complete().json["reconciliation"]
    reopened = desk.reopen().json["account"]["draft"]
    assert (reopened["keepAsNew"], reopened["openingBalance"]) == (True, "1000.00")
    assert (reopened["openingDate"], reopened["difference"]) == ("2026-09-30", "0.00")
    opening = ben.get(f"/api/journal-entries/{proof['openingEntryId']}").json["entry"]
    assert opening["status"] == "VOIDED"
    assert "Main account 460.00 EUR" in books.balances()
    assert desk.states(lines)[:2] == ["SET_ASIDE", "SET_ASIDE"]
    again = desk.complete().json["reconciliation"]
    assert again["openingEntryId"] != proof["openingEntryId"]
    assert again["ledgerBalance"] == "1460.00"
    desk.reopen()
    desk.abandon()
    assert desk.states(lines) == ["BOOKED"] * 4
    assert "Opening balances" not in " ".join(books.balances())


def test_an_opening_entry_in_a_locked_period_stays(bank, desk, lines):
    keep(desk)
    desk.confirm(*lines[2:])
    desk.clear(auto=True)
    bank.lock("2026-09-30")
    assert desk.complete().json["code"] == "period_locked"
    bank.lock("2026-09-29")
    assert desk.complete().status_code == 200
    bank.lock("2026-09-30")
    assert desk.reopen().json["code"] == "period_locked"


def test_the_opening_of_an_account_abroad_needs_that_days_rate(bank, desk, books):
    bank.open("Dollars", "USD")
    bank.quote("2026-10-01", "USD", "1.25")
    line = bank.send("2026-10-05", "10.00", "Sale")
    desk.confirm(line)
    keep(desk, "110.00", openingBalance="100.00")
    desk.clear(auto=True)
    refused = desk.complete()
    assert (refused.status_code, refused.json["code"]) == (409, "exchange_rate_missing")
    assert refused.json["details"] == {"missingRates": [{"day": "2026-09-30", "currency": "USD"}]}
    bank.quote("2026-09-29", "USD", "1.60")
    proof = desk.complete().json["reconciliation"]
    opening = desk.person.get(f"/api/journal-entries/{proof['openingEntryId']}").json["entry"]
    assert [leg["amountBase"] for leg in opening["postings"]] == ["62.50", "-62.50"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"openingBalance": "5.00"}, "openingBalance"),
        ({"openingDate": "2026-09-30"}, "openingDate"),
        ({"keepAsNew": True, "openingDate": "2026-11-01"}, "openingDate"),
        ({"keepAsNew": True, "openingBalance": "5.001"}, "openingBalance"),
        ({"keepAsNew": 1}, "keepAsNew"),
    ],
)
def test_an_opening_that_cannot_be_is_refused(desk, lines, body, path):
    refused = desk.put(**body)
    assert (refused.status_code, list(refused.json["fields"])) == (422, [path])
    assert desk.account()["draft"] is None


def test_a_page_of_entries_costs_as_many_statements_for_many_as_for_few(desk, bank, lines, statements):
    keep(desk)
    desk.confirm(*lines[2:])
    desk.clear(auto=True)
    desk.complete()

    def listed():
        with statements() as sent:
            entries = desk.person.get("/api/journal-entries?status=POSTED&source=bank_feed").json["entries"]
        return len(sent), [entry["canVoid"] for entry in entries]

    few, told = listed()
    assert told == [True, True]
    desk.confirm(*bank.send_many([(f"2026-11-0{day}", "1.00", "More") for day in range(1, 8)]))
    many, told = listed()
    assert told == [True] * 9
    assert many == few
