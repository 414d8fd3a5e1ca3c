"""A linked transfer realises what it leaves, once both sides are posted (books.md 3 and 6)."""

from html import unescape

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


def balances(person):
    """Give the balance of each account in the base currency, where it is not nil."""
    accounts = person.get("/api/accounts?limit=200").json["accounts"]
    return {each["name"]: each["balanceBase"] for each in accounts if each["balanceBase"] != "0.00"}


def differences(person, status="POSTED"):
    found = person.get("/api/journal-entries?source=exchange").json["entries"]
    return [each for each in found if each["status"] == status]


def void(person, line_id):
    entry_id = line(person, line_id)["journalEntryId"]
    return person.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"})


class TestTwoCurrenciesOnTwoDays:
    @pytest.fixture
    def exchanged(self, bank, giro):
        bank.quote("2026-06-02", "USD", "1.10")
        bank.quote("2026-06-03", "USD", "1.20")
        dollars = bank.open("Dollars", "USD")
        return send(bank, dollars, "2026-06-02", "-1100.00"), send(bank, giro, "2026-06-03", "990.00")

    @pytest.fixture
    def posted(self, ben, exchanged):
        join(ben, *exchanged)
        for each in exchanged:
            confirm(ben, each)
        return exchanged

    @pytest.mark.usefixtures("posted")
    def test_the_rest_is_realised_on_the_later_day(self, ben):
        assert balances(ben) == {
            "Giro": "990.00",
            "Dollars": "-1000.00",
            "Realised exchange differences": "10.00",
        }
        [found] = differences(ben)
        assert found["effectiveAt"] == "2026-06-03T00:00:00Z"
        assert open_items(ben) == []

    @pytest.mark.usefixtures("posted")
    def test_transfers_are_nil_in_each_currency(self, ben):
        [found] = differences(ben)
        read = ben.get(f"/api/journal-entries/{found['id']}").json["entry"]
        legs = [(each["accountName"], each["amount"], each["amountBase"]) for each in read["postings"]]
        assert sorted(legs, key=lambda leg: leg[1]) == [
            ("Transfers between own accounts", "-1100.00", "-1000.00"),
            ("Realised exchange differences", "10.00", "10.00"),
            ("Transfers between own accounts", "990.00", "990.00"),
        ]

    def test_one_posted_side_realises_nothing_and_stands_open(self, ben, exchanged):
        join(ben, *exchanged)
        confirm(ben, exchanged[0])
        assert differences(ben) == []
        assert [each["amount"] for each in open_items(ben)] == ["1100.00"]

    def test_lines_that_were_posted_to_transfers_before_are_realised_by_pairing_them(
        self, ben, bank, exchanged
    ):
        for each in exchanged:
            ben.patch(f"/api/transactions/{each}", json={"accountId": bank.role("transfers")})
            confirm(ben, each)
        assert len(open_items(ben)) == 2
        join(ben, *exchanged)
        assert balances(ben)["Realised exchange differences"] == "10.00"
        assert open_items(ben) == []

    def test_the_entry_cannot_be_voided_alone(self, ben, posted):
        [found] = differences(ben)
        assert found["canVoid"] is False
        refused = ben.post(f"/api/journal-entries/{found['id']}/void", json={"reason": "Wrong"})
        assert (refused.status_code, refused.json["code"]) == (409, "transfer")
        assert sorted(refused.json["details"].values()) == sorted(posted)

    def test_ending_the_transfer_voids_it(self, ben, posted):
        settle(ben, "unjoin", *posted)
        assert differences(ben) == []
        assert len(differences(ben, "VOIDED")) == 1
        assert "Realised exchange differences" not in balances(ben)
        assert len(open_items(ben)) == 2

    def test_another_account_on_one_side_voids_it(self, ben, books, posted):
        ben.patch(f"/api/transactions/{posted[1]}", json={"accountId": books.account_id("Travel")})
        assert differences(ben) == []

    @pytest.mark.parametrize("side", [0, 1])
    def test_voiding_either_side_voids_it_and_confirming_again_realises_it_anew(self, ben, posted, side):
        assert void(ben, posted[side]).status_code == 200
        assert differences(ben) == []
        assert len(open_items(ben)) == 1
        confirm(ben, posted[side])
        assert balances(ben)["Realised exchange differences"] == "10.00"
        assert open_items(ben) == []

    def test_a_lock_dates_it_on_the_first_open_day(self, ben, bank, exchanged):
        join(ben, *exchanged)
        confirm(ben, exchanged[0])
        confirm(ben, exchanged[1])
        bank.lock("2026-06-30")
        settle(ben, "unjoin", *exchanged)
        [reversal] = ben.get("/api/journal-entries?source=void").json["entries"]
        assert reversal["effectiveAt"] == "2026-07-01T00:00:00Z"

    def test_the_page_of_a_void_says_what_becomes_of_the_pair(self, ben, posted):
        entry_id = line(ben, posted[0])["journalEntryId"]
        page = unescape(ben.browser().get(f"/journal/{entry_id}").text)
        assert "gets a new draft on “Transfers between own accounts”: it stays paired." in page
        assert "The exchange difference of its transfer" in page

    def test_pairing_twice_changes_nothing(self, ben, posted):
        join(ben, *posted)
        assert len(differences(ben)) == 1


class TestOneForeignCurrency:
    def test_what_the_rates_of_two_days_leave_is_realised(self, ben, bank):
        bank.quote("2026-06-02", "USD", "1.10")
        bank.quote("2026-06-03", "USD", "1.20")
        one, other = bank.open("Dollars", "USD"), bank.open("More dollars", "USD")
        pair = send(bank, one, "2026-06-02", "-1100.00"), send(bank, other, "2026-06-03", "1100.00")
        join(ben, *pair)
        for each in pair:
            confirm(ben, each)
        assert balances(ben)["Realised exchange differences"] == "83.33"
        assert "Transfers between own accounts" not in balances(ben)
        assert open_items(ben) == []

    def test_in_the_base_currency_nothing_is_left(self, ben, bank, giro, savings):
        pair = send(bank, giro, "2026-06-02", "-5.00"), send(bank, savings, "2026-06-03", "5.00")
        join(ben, *pair)
        for each in pair:
            confirm(ben, each)
        assert differences(ben) == []
        assert open_items(ben) == []


class TestVoidingOneSide:
    @pytest.fixture
    def apart(self, bank, giro, savings):
        return send(bank, giro, "2026-01-05", "-50.00"), send(bank, savings, "2026-01-06", "50.00")

    def test_the_fresh_draft_goes_where_the_pair_says(self, ben, books, apart):
        ben.patch(f"/api/transactions/{apart[0]}", json={"accountId": books.account_id("Rent")})
        confirm(ben, apart[0])
        join(ben, *apart)
        confirm(ben, apart[1])
        assert void(ben, apart[0]).status_code == 200
        assert legs(entry(ben, apart[0]))[1] == ("Transfers between own accounts", "50.00", False)
        confirm(ben, apart[0])
        assert balances(ben) == {"Giro": "-50.00", "Savings": "50.00"}
        assert open_items(ben) == []
        assert suggested(ben, apart[0]) == []

    def test_a_side_is_open_until_the_other_stands_on_transfers_too(self, ben, books, apart):
        ben.patch(f"/api/transactions/{apart[0]}", json={"accountId": books.account_id("Rent")})
        confirm(ben, apart[0])
        join(ben, *apart)
        confirm(ben, apart[1])
        assert [each["transactionId"] for each in open_items(ben)] == [apart[1]]
        confirm(ben, apart[0])
        assert open_items(ben) == []
