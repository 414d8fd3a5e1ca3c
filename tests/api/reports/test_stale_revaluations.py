"""A revaluation is a claim: it is judged again on each read, and the act that makes it stale says so."""

import random
from datetime import date, timedelta
from decimal import Decimal

import pytest

from tests.fixtures.banks import Bank
from tests.fixtures.helpers.owed import owe


class Owed:
    """Books in pounds with a claim in dollars of 4 March, which are revalued."""

    def __init__(self, person, bank):
        self.person, self.bank = person, bank
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.ids = {each["name"]: each["id"] for each in listed}
        for day, rate in (("2026-03-04", "1.26"), ("2026-03-18", "1.28"), ("2026-03-31", "1.31")):
            bank.quote(day, "USD", rate)
        self.dollars = bank.open("Dollars", "USD")
        owe(person, self, "1840.00", day="2026-03-04", currency="USD")

    def account_id(self, name):
        return self.ids[name]

    def revalue(self, day="2026-03-31"):
        answer = self.person.post("/api/revaluations", json={"asOf": day})
        assert answer.status_code == 200, answer.json
        return answer.json

    def warnings(self, day="2026-03-31"):
        sheet = self.person.get(f"/api/reports/balance-sheet?from=2026-01-01&to={day}").json["balanceSheet"]
        return [(each["code"], each["asOf"], each["difference"]) for each in sheet["warnings"]]

    def verdict(self, day="2026-03-31"):
        answer = self.person.get(f"/api/revaluations?asOf={day}")
        assert answer.status_code == 200, answer.json
        return answer.json["revaluation"]

    def amounts(self, *expected):
        ids = self.ids | {"Dollars": self.bank.ledger_account(self.dollars)}
        return sorted(
            (
                {"accountId": ids[name], "accountName": name, "currency": "USD", "amountBase": amount}
                for name, amount in expected
            ),
            key=lambda each: each["accountId"],
        )

    def pay(self, day="2026-03-18", amount="1840.00"):
        line = self.bank.at(self.dollars).send(day, amount, "Paid")
        changes = {"accountId": self.ids["Trade receivables"]}
        assert self.person.patch(f"/api/transactions/{line}", json=changes).status_code == 200
        return line


@pytest.fixture
def pounds(app, keeps_in):
    person = keeps_in("GBP")
    return Owed(person, Bank(app, person))


def test_a_balance_sheet_says_what_is_not_revalued(pounds):
    # 1,840 USD at 1.26 are 1,460.32, at 1.31 they are 1,404.58.
    assert pounds.warnings() == [("not_revalued", "2026-03-31", "-55.74")]
    assert pounds.warnings("2026-02-28") == []
    # The newest rate is older than ten days: nobody can say.
    assert pounds.warnings("2026-04-30") == []
    read = pounds.verdict()
    assert (read["state"], read["result"]) == ("NEVER", "-55.74")
    assert read["due"] == read["apart"] == pounds.amounts(("Trade receivables", "-55.74"))
    assert pounds.verdict("2026-02-28")["state"] == "NONE_NEEDED"
    missing = pounds.verdict("2026-04-30")
    assert (missing["state"], missing["missingRates"], missing["apart"]) == ("RATE_MISSING", ["USD"], [])
    page = pounds.person.browser()
    assert ">Revalue 31 Mar 2026</button>" in page.get("/month-end/2026-03").text
    assert page.post("/settings/exchange-rates/revalue", data={"asOf": "2026-04-30"}).status_code == 409
    pounds.revalue()
    assert pounds.warnings() == []
    assert (pounds.verdict()["state"], pounds.verdict()["since"]) == ("STANDS", [])


def test_a_late_payment_makes_it_stale_and_says_so(pounds):
    pounds.revalue()
    line = pounds.pay()

    done = pounds.person.post(f"/api/transactions/{line}/confirm").json

    # The dollars stand at 1,437.50, and the claim at nothing: 1,404.58 less 1,437.50 is due, and 55.74 were taken.
    assert pounds.warnings() == [("revaluation_stale", "2026-03-31", "22.82")]
    assert done["warningCodes"][-1] == "revaluation_stale"
    read = pounds.verdict()
    assert (read["state"], read["result"]) == ("STALE", "22.82")
    assert read["apart"] == pounds.amounts(("Trade receivables", "55.74"), ("Dollars", "-32.92"))
    assert [each["actionRequestId"] for each in read["since"]] == [done["actionRequestId"]]
    assert "revaluation of 31 Mar 2026 is off by 22.82 GBP" in done["warnings"][-1]
    pages = pounds.person.browser()
    for page in ("/", "/reports/balance-sheet?from=2026-01-01&to=2026-03-31"):
        text = pages.get(page).text
        assert "revaluation of 31 Mar 2026 is off" in text
        assert 'name="asOf" value="2026-03-31"' in text
    assert pages.post("/settings/exchange-rates/revalue", data={"asOf": "2026-03-31"}).status_code == 303
    assert pounds.warnings() == []
    assert "is off" not in pages.get("/").text


@pytest.mark.parametrize("act", ["rate", "void", "correction", "entry", "flag"])
def test_each_act_that_makes_it_stale_warns(pounds, act):
    line = pounds.pay(amount="840.00")
    pounds.person.post(f"/api/transactions/{line}/confirm")
    pounds.revalue()
    if act == "rate":
        rate = {"day": "2026-03-30", "currency": "USD", "unitsPerBase": "1.30"}
        assert "warnings" not in pounds.person.put("/api/exchange-rates", json={"rates": [rate]}).json
        rate["day"] = "2026-03-31"
        answer = pounds.person.put("/api/exchange-rates", json={"rates": [rate]})
    elif act == "void":
        entry = pounds.person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
        answer = pounds.person.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"})
    elif act == "correction":
        pounds.person.patch(f"/api/transactions/{line}", json={"accountId": pounds.ids["Other income"]})
        answer = pounds.person.post(f"/api/transactions/{line}/confirm")
    elif act == "flag":
        ids = pounds.ids["Trade receivables"]
        answer = pounds.person.patch(f"/api/accounts/{ids}", json={"isRevalued": False})
    else:
        answer = pounds.person.post(
            "/api/journal-entries",
            json={
                "effectiveAt": "2026-03-05", "post": True,
                "postings": [
                    {"accountId": pounds.ids["Trade payables"], "amount": "-50.00", "currency": "USD"},
                    {"accountId": pounds.ids["Rent"], "amount": "50.00", "currency": "USD"},
                ],
            },
        )  # fmt: skip
    assert answer.status_code in (200, 201), answer.json
    assert "revaluation_stale" in answer.json["warningCodes"], answer.json
    assert [code for code, *_ in pounds.warnings()] == ["revaluation_stale"]


def test_two_accounts_that_are_apart_are_stale_without_a_difference(pounds):
    owe(pounds.person, pounds, "-1840.00", day="2026-03-04", currency="USD", account="Trade payables")
    pounds.revalue()
    rate = {"day": "2026-03-31", "currency": "USD", "unitsPerBase": "1.29"}
    pounds.person.put("/api/exchange-rates", json={"rates": [rate]})
    assert pounds.warnings() == [("revaluation_stale", "2026-03-31", "0.00")]


def test_proposals_and_trials_say_it_too(pounds):
    pounds.revalue()
    line = pounds.pay()
    address = f"/api/transactions/{line}/confirm"
    tried = pounds.person.post(f"{address}?dryRun=true").json
    assert any("31 Mar 2026 is off" in each for each in tried["effect"]["warnings"]), tried
    proposed = pounds.person.with_scopes("read", "propose").post(address)
    assert proposed.status_code == 202
    assert "31 Mar 2026 is off" in str(proposed.json)
    (row,) = pounds.person.post("/api/transactions/confirm", json={"ids": [line]}).json["results"]
    assert row["warningCodes"][-1] == "revaluation_stale"


@pytest.mark.parametrize("seed", range(2))
def test_it_is_stale_exactly_when_a_second_run_would_change_something(pounds, rounds, seed):
    chance = random.Random(seed)  # noqa: S311  (figures to try, no secret)
    days = [date(2026, 3, 4) + timedelta(days=step) for step in range(0, 40, 3)]
    for _ in range(rounds(14, 150)):
        day = chance.choice(days)
        if chance.random() < 0.3:
            rate = {"day": day.isoformat(), "currency": "USD", "unitsPerBase": f"1.{chance.randint(20, 35)}"}
            pounds.person.put("/api/exchange-rates", json={"rates": [rate]})
        elif chance.random() < 0.6:
            line = pounds.pay(day.isoformat(), f"{Decimal(chance.randint(1, 90000)) / 100}")
            pounds.person.post(f"/api/transactions/{line}/confirm")
        else:
            pounds.revalue(chance.choice(("2026-03-25", "2026-03-31")))
        for as_of in ("2026-03-25", "2026-03-31"):
            said = pounds.warnings(as_of)
            address = "/api/revaluations?dryRun=true"
            tried = pounds.person.post(address, json={"asOf": as_of}).json
            assert bool(said) == bool(tried["effect"]["acts"]), (as_of, said, tried)
