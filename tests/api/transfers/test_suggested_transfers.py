"""Which lines are proposed as a transfer, which are accepted, and which refused."""

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.fixtures.helpers.owed import owe
from tests.fixtures.helpers.transfers import confirm, entry, join, legs, open_items, send, settle, suggested
from webapp.queries.transfers import sides

pytestmark = pytest.mark.usefixtures("sound")


class TestSuggesting:
    def test_looks_among_many_lines_for_equal_amounts_only(
        self, ben, bank, giro, savings, moved, monkeypatch
    ):
        payout = send(bank, giro, "2026-03-02", "-100.00", "Payout to Savings")
        send(bank, savings, "2026-03-02", "98.50", "Credit")
        for most, equal, less_a_fee in ((4, 1, 1), (3, 1, 1), (1, 0, 0)):
            monkeypatch.setattr(sides, "MOST_NEAR", most)
            assert (len(suggested(ben, moved[0])), len(suggested(ben, payout))) == (equal, less_a_fee), most
        send(bank, giro, "2026-03-03", "-99.00", "Payout to Savings")
        monkeypatch.setattr(sides, "MOST_NEAR", 2)
        assert (len(suggested(ben, moved[0])), len(suggested(ben, payout))) == (1, 0)
        assert len(ben.get("/api/transfers").json["transfers"]) == 3

    def test_names_the_other_line_and_why(self, ben, savings, moved):
        [found] = suggested(ben, moved[0])
        assert {key: value for key, value in found.items() if value is not None} == {
            "kind": "TRANSFER",
            "transactionId": moved[1],
            "faId": savings,
            "accountName": "Savings",
            "bookedOn": "2026-03-02",
            "amount": "500.00",
            "currency": "EUR",
            "description": "Moving",
            "daysApart": 0,
            "reason": "Same amount, same day",
            "isOnly": True,
            "status": "SUGGESTED",
            "lineStatus": "BOOKED",
        }

    @pytest.mark.parametrize(("day", "count"), [("2026-03-07", 1), ("2026-03-08", 0), ("2026-02-24", 0)])
    def test_looks_five_days_around(self, ben, bank, giro, savings, day, count):
        out = send(bank, giro, "2026-03-02", "-500.00")
        send(bank, savings, day, "500.00")
        assert len(suggested(ben, out)) == count

    def test_shows_what_is_ambiguous_and_accepts_none_of_it(self, ben, bank, savings, moved):
        twin = send(bank, savings, "2026-03-04", "500.00")
        found = suggested(ben, moved[0])
        assert [each["transactionId"] for each in found] == [moved[1], twin]
        assert not any(each["isOnly"] for each in found)
        assert found[0]["reason"] == "Same amount, same day; one of 2 that fit"
        assert ben.post("/api/transfers/accept").json["results"] == []

    def test_never_suggests_again_what_was_dismissed(self, ben, moved):
        assert settle(ben, "unjoin", *moved).status_code == 200
        assert suggested(ben, moved[1]) == []
        assert ben.get("/api/transfers").json["transfers"] == []
        assert join(ben, *moved)["id"] == moved[0]

    def test_leaves_a_line_with_an_account_of_its_own_out_of_the_list(self, ben, books, moved):
        ben.patch(f"/api/transactions/{moved[0]}", json={"accountId": books.account_id("Travel")})
        confirm(ben, moved[0])
        assert ben.get("/api/transfers").json["transfers"] == []
        assert [each["isOnly"] for each in suggested(ben, moved[1])] == [False]

    def test_accepts_all_that_fit_nothing_else(self, ben, bank, giro, savings):
        pairs = [
            (send(bank, giro, "2026-03-02", f"-{n}.00"), send(bank, savings, "2026-03-02", f"{n}.00"))
            for n in (10, 20, 30)
        ]
        results = ben.post("/api/transfers/accept").json["results"]
        assert [(each["transactionId"], each["otherTransactionId"], each["status"]) for each in results] == [
            (out, into, "EXECUTED") for out, into in pairs
        ]
        assert ben.get("/api/transfers").json["transfers"] == []

    def test_leaves_a_line_that_pays_an_open_item_to_a_person(self, ben, bank, books, acme, giro, savings):
        owe(ben, books, "90.00", acme, reference="RE-2026-17")
        paying = send(bank, giro, "2026-03-02", "90.00", "RE-2026-17 Acme")
        out = send(bank, savings, "2026-03-02", "-90.00")
        [result] = ben.post("/api/transfers/accept").json["results"]
        assert (result["transactionId"], result["otherTransactionId"], result["status"]) == (
            out, paying, "FAILED",
        )  # fmt: skip
        assert "is the open amount of RE-2026-17" in result["error"]
        address, body = f"/transactions/{out}/join", {"transactionId": paying}
        tried = ben.post(f"/api{address}?dryRun=true", json=body).json["effect"]["warnings"]
        told = ben.post(f"/api{address}", json=body).json
        assert (told["warnings"], told["warningCodes"]) == (tried, ["pays_open_item"])
        assert "is the open amount of RE-2026-17" in tried[0]


class TestFees:
    @pytest.fixture
    def payout(self, bank, giro, savings):
        """100.00 leave Giro for Savings, and 98.50 arrive two days later."""
        out = send(bank, giro, "2026-03-02", "-100.00", "Payout to Savings")
        return out, send(bank, savings, "2026-03-04", "98.50", "Credit")

    def test_are_proposed_with_their_name_and_joined_by_it(self, ben, payout):
        [listed] = ben.get("/api/transfers").json["transfers"]
        assert listed == {
            "transactionId": payout[0],
            "otherTransactionId": payout[1],
            "daysApart": 2,
            "reason": "1.50 EUR less arrived, 2 days apart, names Savings",
            "isOnly": True,
            "difference": "FEE",
        }
        for each in payout:
            [found] = suggested(ben, each)
            assert (found["difference"], found["isOnly"]) == ("FEE", True)
        body = {"transactionId": payout[1], "difference": listed["difference"]}
        assert ben.post(f"/api/transactions/{payout[0]}/join", json=body).status_code == 200
        for each in payout:
            confirm(ben, each)
        assert legs(entry(ben, payout[0]))[0] == ("Bank charges", "1.50", False)
        assert open_items(ben) == []

    @pytest.mark.usefixtures("payout")
    def test_are_paired_by_nobody_but_a_person_who_names_them(self, ben):
        assert ben.post("/api/transfers/accept").json["results"] == []

    def test_a_line_says_the_same_of_them_as_the_list(self, ben, bank, giro, savings, payout):
        """A rival ten days away that fits an equal amount fifteen days away is none."""
        send(bank, giro, "2026-03-09", "-99.00", "Payout to Savings")
        send(bank, savings, "2026-03-14", "99.00", "Credit")
        by_line = {
            each["transactionId"]: each["isOnly"] for each in ben.get("/api/transfers").json["transfers"]
        }
        assert by_line[payout[0]] is True
        assert [each["isOnly"] for each in suggested(ben, payout[0])] == [True]

    def test_are_not_proposed_again_once_dismissed(self, ben, payout):
        assert settle(ben, "unjoin", *payout).status_code == 200
        assert ben.get("/api/transfers").json["transfers"] == []


class TestRefusing:
    def test_two_lines_of_one_account_which_are_one_line_or_none(self, ben, bank, giro, moved):
        other = send(bank, giro, "2026-03-02", "500.00")
        assert settle(ben, "join", moved[0], other).json["code"] == "amounts_differ"

    @pytest.mark.parametrize("amount", ["499.99", "-500.00", "0.00"])
    def test_amounts_that_are_not_opposite(self, ben, bank, savings, moved, amount):
        other = send(bank, savings, "2026-03-02", amount)
        refused = settle(ben, "join", moved[0], other)
        assert (refused.status_code, refused.json["code"]) == (422, "amounts_differ")

    def test_a_line_that_is_paired_already(self, ben, bank, savings, moved):
        join(ben, *moved)
        other = send(bank, savings, "2026-03-02", "500.00")
        refused = settle(ben, "join", other, moved[0])
        assert (refused.status_code, refused.json["code"]) == (409, "paired")

    @pytest.mark.parametrize("state", ["PENDING", "REMOVED", "DELETED"])
    def test_a_line_that_is_not_booked(self, ben, bank, savings, moved, state):
        other = send(bank, savings, "2026-03-02", "500.00", status=state)
        refused = settle(ben, "join", moved[0], other)
        assert (refused.status_code, refused.json["code"]) == (409, state.lower())

    @on_sqlite
    def test_a_line_of_somebody_else(self, ben, dan, bank, moved):
        theirs = bank.of(dan).send("2026-03-02", "500.00")
        assert settle(ben, "join", moved[0], theirs).status_code == 422
        assert settle(dan, "join", theirs, moved[0]).status_code == 422
