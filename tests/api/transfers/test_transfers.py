"""Two lines of two banks become one transfer, and apart again."""

import pytest

from tests.fixtures.helpers.transfers import (
    confirm,
    entry,
    join,
    legs,
    line,
    open_items,
    send,
    settle,
    suggested,
)

pytestmark = pytest.mark.usefixtures("sound")


class TestTwoDraftsOfOneDay:
    def test_become_one_entry_with_both_bank_legs(self, ben, moved):
        join(ben, *moved)
        out, into = (line(ben, each) for each in moved)
        assert out["journalEntryId"] == into["journalEntryId"]
        assert legs(entry(ben, moved[0])) == [("Giro", "-500.00", True), ("Savings", "500.00", True)]
        assert len(ben.get("/api/journal-entries").json["entries"]) == 1

    def test_stand_against_the_other_bank(self, ben, bank, giro, savings, moved):
        join(ben, *moved)
        out, into = (line(ben, each) for each in moved)
        assert out["accountId"] == bank.ledger_account(savings)
        assert into["accountId"] == bank.ledger_account(giro)
        assert out["splits"] is None

    def test_are_posted_by_confirming_either(self, ben, moved):
        join(ben, *moved)
        first, again = confirm(ben, moved[1]), confirm(ben, moved[0])
        assert (first["changed"], again["changed"]) == (True, False)
        assert first["result"]["journalEntryIds"] == again["result"]["journalEntryIds"]
        assert [line(ben, each)["entryStatus"] for each in moved] == ["POSTED", "POSTED"]

    def test_are_joined_once_however_often_somebody_asks(self, ben, moved):
        join(ben, *moved)
        before = line(ben, moved[0])
        assert join(ben, moved[1], moved[0])["journalEntryId"] == before["journalEntryId"]
        acts = ben.get("/api/action-requests").json["actionRequests"]
        assert [each["kind"] for each in acts].count("pair_transfer") == 1

    def test_are_taken_apart_into_drafts_as_they_were(self, ben, books, moved):
        ben.patch(f"/api/transactions/{moved[0]}", json={"accountId": books.account_id("Travel")})
        join(ben, *moved)
        assert settle(ben, "unjoin", moved[1], moved[0]).status_code == 200
        assert legs(entry(ben, moved[0])) == [("Giro", "-500.00", True), ("Travel", "500.00", False)]
        assert legs(entry(ben, moved[1])) == [
            ("Savings", "500.00", True),
            ("Uncategorised income", "-500.00", False),
        ]

    def test_part_when_one_gets_another_account(self, ben, books, moved):
        join(ben, *moved)
        answer = ben.patch(f"/api/transactions/{moved[0]}", json={"accountId": books.account_id("Travel")})
        assert answer.status_code == 200, answer.json
        assert legs(entry(ben, moved[0])) == [("Giro", "-500.00", True), ("Travel", "500.00", False)]
        assert legs(entry(ben, moved[1])) == [
            ("Savings", "500.00", True),
            ("Uncategorised income", "-500.00", False),
        ]
        assert suggested(ben, moved[0]) == []

    def test_part_when_the_later_one_gets_another_account(self, ben, books, moved):
        join(ben, *moved)
        ben.patch(f"/api/transactions/{moved[1]}", json={"accountId": books.account_id("Travel")})
        assert legs(entry(ben, moved[0])) == [
            ("Giro", "-500.00", True),
            ("Uncategorised expenses", "500.00", False),
        ]
        assert legs(entry(ben, moved[1])) == [("Savings", "500.00", True), ("Travel", "-500.00", False)]

    def test_part_when_one_is_split(self, ben, books, moved):
        join(ben, *moved)
        travel = books.account_id("Travel")
        parts = [{"accountId": travel, "amount": amount} for amount in ("-300.00", "-200.00")]
        answer = ben.patch(f"/api/transactions/{moved[0]}", json={"splits": parts})
        assert [each["amount"] for each in answer.json["transaction"]["splits"]] == ["-300.00", "-200.00"]
        assert line(ben, moved[1])["journalEntryId"] != line(ben, moved[0])["journalEntryId"]

    def test_take_a_description_but_no_project(self, ben, bank, moved):
        join(ben, *moved)
        path = f"/api/transactions/{moved[0]}"
        assert ben.patch(path, json={"description": "To the savings"}).status_code == 200
        refused = ben.patch(path, json={"projectId": bank.project("Harbour")})
        assert (refused.status_code, refused.json["code"]) == (409, "transfer")
        assert ben.patch(path, json={"projectId": None, "splits": None}).status_code == 200
        assert legs(entry(ben, moved[1])) == [("Giro", "-500.00", True), ("Savings", "500.00", True)]

    def test_leave_the_other_its_own_draft_when_one_is_deleted(self, ben, moved):
        join(ben, *moved)
        assert ben.delete(f"/api/transactions/{moved[0]}").status_code == 200
        assert line(ben, moved[0])["status"] == "DELETED"
        assert legs(entry(ben, moved[1])) == [
            ("Savings", "500.00", True),
            ("Uncategorised income", "-500.00", False),
        ]
        ben.post(f"/api/transactions/{moved[0]}/restore")
        assert [each["transactionId"] for each in suggested(ben, moved[0])] == [moved[1]]

    def test_get_fresh_drafts_each_when_their_entry_is_voided(self, ben, moved):
        join(ben, *moved)
        posted = confirm(ben, moved[0])["result"]["journalEntryIds"][0]
        voided = ben.post(f"/api/journal-entries/{posted}/void", json={"reason": "Not a transfer"}).json
        drafts = [line(ben, each)["journalEntryId"] for each in moved]
        assert sorted(voided["result"]["journalEntryIds"][1:]) == sorted(drafts)
        assert len(set(drafts)) == 2
        assert [entry(ben, each)["status"] for each in moved] == ["DRAFT", "DRAFT"]
        assert [each["transactionId"] for each in suggested(ben, moved[1])] == [moved[0]]

    def test_move_together_out_of_a_locked_period(self, ada, ben, moved):
        join(ben, *moved)
        ada.put("/api/lock-date", json={"lockDate": "2026-03-31", "moveDrafts": True})
        assert entry(ben, moved[1])["effectiveAt"] == "2026-04-01T00:00:00Z"
        settle(ben, "unjoin", *moved)
        assert [entry(ben, each)["effectiveAt"] for each in moved] == ["2026-04-01T00:00:00Z"] * 2

    def test_are_one_entry_where_a_lock_dates_both_on_one_day(self, ben, bank, giro, savings):
        bank.lock("2026-03-31")
        pair = send(bank, giro, "2026-03-30", "-5.00"), send(bank, savings, "2026-03-31", "5.00")
        join(ben, *pair)
        assert line(ben, pair[0])["journalEntryId"] == line(ben, pair[1])["journalEntryId"]


class TestOnDifferentDays:
    @pytest.fixture
    def apart(self, bank, giro, savings):
        return send(bank, giro, "2026-03-02", "-500.00"), send(bank, savings, "2026-03-04", "500.00")

    def test_each_keeps_its_draft_against_transfers(self, ben, apart):
        join(ben, *apart)
        assert legs(entry(ben, apart[0])) == [
            ("Giro", "-500.00", True),
            ("Transfers between own accounts", "500.00", False),
        ]
        assert legs(entry(ben, apart[1])) == [
            ("Savings", "500.00", True),
            ("Transfers between own accounts", "-500.00", False),
        ]

    def test_a_posted_one_gets_a_correction_marker(self, ben, apart):
        confirm(ben, apart[0])
        join(ben, *apart)
        marker = line(ben, apart[0])["correctionMarkerId"]
        assert marker is not None
        assert confirm(ben, apart[0])["changed"]
        assert confirm(ben, apart[1])["changed"]
        balances = {
            each["name"]: each["balance"] for each in ben.get("/api/accounts?limit=200").json["accounts"]
        }
        assert balances["Transfers between own accounts"] == "0.00"

    def test_a_posted_one_that_stands_there_already_needs_none(self, ben, bank, apart):
        ben.patch(f"/api/transactions/{apart[0]}", json={"accountId": bank.role("transfers")})
        confirm(ben, apart[0])
        join(ben, *apart)
        assert line(ben, apart[0])["correctionMarkerId"] is None

    def test_undoing_puts_back_what_was(self, ben, apart):
        confirm(ben, apart[0])
        join(ben, *apart)
        settle(ben, "unjoin", *apart)
        assert line(ben, apart[0])["correctionMarkerId"] is None
        assert legs(entry(ben, apart[1]))[1] == ("Uncategorised income", "-500.00", False)
        assert suggested(ben, apart[0]) == []
        assert join(ben, *apart)["id"] == apart[0]

    def test_another_account_on_either_parts_them(self, ben, books, apart):
        join(ben, *apart)
        ben.patch(f"/api/transactions/{apart[1]}", json={"accountId": books.account_id("Travel")})
        assert line(ben, apart[1])["accountId"] == books.account_id("Travel")
        assert legs(entry(ben, apart[0]))[1] == ("Uncategorised expenses", "500.00", False)

    def test_deleting_one_gives_the_other_back_its_draft(self, ben, apart):
        join(ben, *apart)
        ben.delete(f"/api/transactions/{apart[1]}")
        assert legs(entry(ben, apart[0]))[1] == ("Uncategorised expenses", "500.00", False)

    def test_voiding_one_keeps_the_link(self, ben, apart):
        join(ben, *apart)
        posted = confirm(ben, apart[0])["result"]["journalEntryIds"][0]
        ben.post(f"/api/journal-entries/{posted}/void", json={"reason": "Once more"})
        assert legs(entry(ben, apart[0]))[1] == ("Transfers between own accounts", "500.00", False)
        assert settle(ben, "unjoin", *apart).status_code == 200

    def test_linked_items_stand_open_no_longer(self, ben, bank, apart):
        for each in apart:
            ben.patch(f"/api/transactions/{each}", json={"accountId": bank.role("transfers")})
            confirm(ben, each)
        assert [each["transactionId"] for each in open_items(ben)] == [apart[1], apart[0]]
        join(ben, *apart)
        assert open_items(ben) == []
        settle(ben, "unjoin", *apart)
        assert len(open_items(ben)) == 2
