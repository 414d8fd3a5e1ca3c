"""Transfers whose two sides differ: by the parts of a split, or by a difference that is named (books.md 9)."""

import pytest

from tests.fixtures.helpers.transfers import confirm, entry, join, legs, line, open_items, send, settle

pytestmark = pytest.mark.usefixtures("sound")
TRANSFERS = "Transfers between own accounts"


@pytest.fixture
def payout(bank, giro, savings):
    """100.00 leave Giro, and 98.50 arrive two days later."""
    return send(bank, giro, "2026-03-02", "-100.00"), send(bank, savings, "2026-03-04", "98.50")


def pair(person, one, other, difference):
    body = {"transactionId": other, "difference": difference}
    return person.post(f"/api/transactions/{one}/join", json=body)


def split(person, bank, books, line_id, *parts):
    accounts = {TRANSFERS: bank.role("transfers"), "Bank charges": books.account_id("Bank charges")}
    splits = [{"accountId": accounts[name], "amount": amount} for name, amount in parts]
    return person.patch(f"/api/transactions/{line_id}", json={"splits": splits})


class TestSplits:
    @pytest.fixture
    def divided(self, ben, bank, books, payout):
        split(ben, bank, books, payout[0], (TRANSFERS, "-98.50"), ("Bank charges", "-1.50"))
        return payout

    @pytest.mark.parametrize("is_posted", [False, True])
    def test_their_transfers_parts_are_compared(self, ben, divided, is_posted):
        if is_posted:
            confirm(ben, divided[0])
        join(ben, *divided)
        for each in divided:
            confirm(ben, each)
        assert legs(entry(ben, divided[0])) == [
            ("Bank charges", "1.50", False),
            ("Giro", "-100.00", True),
            (TRANSFERS, "98.50", False),
        ]
        assert legs(entry(ben, divided[1]))[1] == (TRANSFERS, "-98.50", False)
        assert open_items(ben) == []

    def test_another_split_of_the_rest_keeps_the_pair_and_another_part_ends_it(
        self, ben, bank, books, divided
    ):
        join(ben, *divided)
        parts = [(TRANSFERS, "-98.50"), ("Bank charges", "-1.00"), ("Bank charges", "-0.50")]
        assert split(ben, bank, books, divided[0], *parts).status_code == 200
        assert legs(entry(ben, divided[1]))[1] == (TRANSFERS, "-98.50", False)
        split(ben, bank, books, divided[0], (TRANSFERS, "-98.00"), ("Bank charges", "-2.00"))
        assert legs(entry(ben, divided[1]))[1] == ("Uncategorised income", "-98.50", False)

    def test_ending_the_pair_restores_the_split(self, ben, divided):
        join(ben, *divided)
        settle(ben, "unjoin", *divided)
        assert ("Bank charges", "1.50", False) in legs(entry(ben, divided[0]))

    def test_parts_that_differ_are_refused(self, ben, bank, books, payout):
        split(ben, bank, books, payout[0], (TRANSFERS, "-98.00"), ("Bank charges", "-2.00"))
        assert settle(ben, "join", *payout).json["code"] == "amounts_differ"


class TestFees:
    @pytest.mark.parametrize("is_posted", [False, True])
    def test_a_fee_goes_to_the_bank_charges_of_the_side_that_pays_it(self, ben, bank, payout, is_posted):
        if is_posted:
            for each in payout:
                ben.patch(f"/api/transactions/{each}", json={"accountId": bank.role("transfers")})
                confirm(ben, each)
        assert pair(ben, *payout, "FEE").status_code == 200
        for each in payout:
            confirm(ben, each)
        charges = {
            each["name"]: each["balance"] for each in ben.get("/api/accounts?limit=200").json["accounts"]
        }
        assert (charges["Bank charges"], charges[TRANSFERS]) == ("1.50", "0.00")
        assert open_items(ben) == []
        [found] = ben.get(f"/api/transactions/{payout[0]}/suggestions").json["joins"]
        assert (found["difference"], found["differenceEntryId"]) == ("FEE", None)

    def test_both_of_one_day_are_linked_and_not_merged(self, ben, bank, giro, savings):
        moved = send(bank, giro, "2026-03-02", "-100.00"), send(bank, savings, "2026-03-02", "98.50")
        pair(ben, *moved, "FEE")
        assert line(ben, moved[0])["journalEntryId"] != line(ben, moved[1])["journalEntryId"]

    def test_ending_the_pair_gives_the_whole_line_back(self, ben, payout):
        pair(ben, *payout, "FEE")
        settle(ben, "unjoin", *payout)
        assert legs(entry(ben, payout[0])) == [
            ("Giro", "-100.00", True),
            ("Uncategorised expenses", "100.00", False),
        ]

    def test_without_a_name_the_difference_is_refused_and_said(self, ben, payout):
        refused = settle(ben, "join", *payout)
        assert (refused.status_code, refused.json["code"]) == (422, "amounts_differ")
        assert "Name the difference a fee or an exchange difference" in refused.json["error"]

    def test_more_than_was_sent_is_no_fee(self, ben, bank, giro, savings):
        moved = send(bank, giro, "2026-03-02", "-98.50"), send(bank, savings, "2026-03-02", "100.00")
        assert pair(ben, *moved, "FEE").status_code == 422
        assert pair(ben, *moved, "EXCHANGE").status_code == 200
        for each in moved:
            confirm(ben, each)
        assert legs(entry(ben, moved[1]))[0] == ("Realised exchange differences", "-1.50", False)
        assert open_items(ben) == []

    def test_between_two_currencies_it_is_what_the_rates_leave(self, ben, bank, giro):
        bank.quote("2026-03-02", "USD", "1.10")
        dollars = bank.open("Dollars", "USD")
        moved = send(bank, dollars, "2026-03-02", "-1100.00"), send(bank, giro, "2026-03-02", "990.00")
        pair(ben, *moved, "FEE")
        for each in moved:
            confirm(ben, each)
        [found] = ben.get("/api/journal-entries?source=exchange").json["entries"]
        read = ben.get(f"/api/journal-entries/{found['id']}").json["entry"]["postings"]
        assert ("Bank charges", "10.00") in [(each["accountName"], each["amount"]) for each in read]
        assert open_items(ben) == []
