"""A year's end: reports with and without adjusting entries, and what its result is put to."""

import pytest

REPORTS = "/api/reports"
YEAR = "from=2025-01-01&to=2025-12-31"


class Year:
    """Books of 2025 with a result of 900.00, which two owners share."""

    def __init__(self, person, bank):
        self.person, self.bank = person, bank
        self.ids = {
            each["name"]: each["id"] for each in person.get("/api/accounts?limit=200").json["accounts"]
        }
        for name, type_ in (("Fees", "INCOME"), ("Audit", "EXPENSE"), ("Accruals", "LIABILITY")):
            self.ids[name] = bank.account(name, type_)
        for name in ("Capital of Ada", "Drawn by Ada", "Capital of Ben", "Reserve"):
            self.ids[name] = bank.account(name, "EQUITY")
        self.enter("2025-05-06", Fees="-900.00", **{"Petty cash": "900.00"})

    def enter(self, day, *, expect=201, facts=None, **legs):
        postings = [{"accountId": self.ids[name], "amount": amount} for name, amount in legs.items()]
        body = {"effectiveAt": day, "postings": postings, "post": True, **(facts or {})}
        answer = self.person.post("/api/journal-entries", json=body)
        assert answer.status_code == expect, answer.json
        return answer.json

    def adjust(self, amount, day="2025-12-31"):
        self.enter(day, facts={"isAdjusting": True}, Audit=amount, Accruals=f"-{amount}")

    def own(self, name, share, drawings=None, **facts):
        body = {"name": name, "capitalAccountId": self.ids[f"Capital of {name}"], "share": share, **facts}
        if drawings:
            body["drawingsAccountId"] = self.ids[drawings]
        answer = self.person.post("/api/owners", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["owner"]["id"]

    def put(self, expect=201, **facts):
        answer = self.person.post("/api/appropriations", json={"year": 2025, "post": True, **facts})
        assert answer.status_code == expect, answer.json
        return answer.json["appropriation"] if expect == 201 else answer.json

    def legs(self, found):
        entry = self.person.get(f"/api/journal-entries/{found['journalEntryId']}").json["entry"]
        assert (entry["source"], entry["canVoid"]) == ("appropriation", True)
        return entry["effectiveAt"][:10], {each["accountName"]: each["amount"] for each in entry["postings"]}

    def figures(self, adjusting, query=YEAR):
        asked = f"{query}&compareWith=none&adjusting={adjusting}"
        profit = self.person.get(f"{REPORTS}/profit-and-loss?{asked}").json["profitAndLoss"]
        sheet = self.person.get(f"{REPORTS}/balance-sheet?{asked}").json["balanceSheet"]
        trial = self.person.get(f"{REPORTS}/trial-balance?{asked}&turnovers=true").json["trialBalance"]
        assert trial["debit"] == trial["credit"]
        return profit["result"]["amount"], sheet["resultOfYear"]["amount"], sheet["liabilities"]["amount"]


@pytest.fixture
def year(ada, bank):
    return Year(ada, bank)


def test_reports_leave_out_adjusting_entries_of_the_asked_year_alone(year):
    year.adjust("120.00")
    year.adjust("30.00", "2024-12-31")
    assert year.figures("WITH") == ("780.00", "-780.00", "-150.00")
    assert year.figures("WITHOUT") == ("900.00", "-900.00", "-30.00")
    later = "from=2026-01-01&to=2026-03-31"
    assert year.figures("WITHOUT", later) == year.figures("WITH", later) == ("0.00", "0.00", "-150.00")
    half = "from=2025-07-01&to=2025-11-30"
    assert year.figures("WITHOUT", half) == year.figures("WITH", half) == ("0.00", "-900.00", "-30.00")
    answer = year.person.get(f"{REPORTS}/profit-and-loss?{YEAR}&adjusting=WITHOUT&groupBy=merchant")
    assert (answer.status_code, list(answer.json["fields"])) == (422, ["adjusting"])


def test_a_result_goes_to_owners_by_their_shares_with_what_they_drew(year, bank):
    ada = year.own("Ada", "2", "Drawn by Ada")
    year.own("Ben", "1")
    year.enter("2025-08-01", **{"Drawn by Ada": "250.00", "Petty cash": "-250.00"})
    year.adjust("0.01")
    bank.lock("2026-02-28")
    found = year.put(first=[{"ownerId": ada, "amount": "100.00"}], keep="50.00")
    assert [each["amount"] for each in found["shares"]] == ["599.99", "250.00"]
    assert year.legs(found) == (
        "2026-03-01",
        {
            "Retained earnings": "849.99",
            "Capital of Ada": "-349.99",
            "Drawn by Ada": "-250.00",
            "Capital of Ben": "-250.00",
        },
    )
    assert bank.broken() == []


def test_a_result_that_moves_later_is_not_yet_appropriated(year, bank):
    year.own("Ada", "1")
    year.own("Ben", "1")
    first = year.put()
    assert year.put()["legs"] == []
    year.adjust("100.01")
    read = year.person.get("/api/appropriations?year=2025").json["appropriation"]
    assert (read["result"], read["appropriated"], read["notYetAppropriated"]) == (
        "799.99",
        "900.00",
        "-100.01",
    )
    again = year.put()
    assert year.legs(again)[1] == {
        "Retained earnings": "-100.01", "Capital of Ada": "50.00", "Capital of Ben": "50.01",
    }  # fmt: skip
    void = f"/api/journal-entries/{first['journalEntryId']}/void"
    assert year.person.post(void, json={"reason": "Decided anew"}).status_code == 200
    read = year.person.get("/api/appropriations?year=2025").json["appropriation"]
    assert (read["appropriated"], read["notYetAppropriated"]) == ("-100.01", "900.00")
    equity = year.person.get(f"{REPORTS}/changes-in-equity?from=2026-01-01&to=2026-12-31").json
    assert equity["changesInEquity"]["total"]["appropriation"] == "0.00"
    assert bank.broken() == []


def test_a_share_counts_from_its_day_and_a_company_keeps_the_rest(year):
    ben = year.own("Ben", "1")
    body = {"share": "0", "from": "2026-01-01"}
    changed = year.person.patch(f"/api/owners/{ben}", json=body).json["owner"]
    assert [each["share"] for each in changed["shares"]] == ["1", "0"]
    assert year.put(post=False)["shares"][0]["amount"] == "900.00"
    assert year.person.patch(f"/api/owners/{ben}", json={"isArchived": True}).status_code == 200
    fixed = [{"accountId": year.ids["Reserve"], "amount": "60.00"}]
    found = year.put(fixed=fixed, decidedOn="2026-05-12")
    assert year.legs(found) == ("2026-05-12", {"Retained earnings": "60.00", "Reserve": "-60.00"})
    wrong = year.person.post(
        "/api/owners", json={"name": "Eve", "capitalAccountId": year.ids["Fees"], "share": "1"}
    )
    assert (wrong.status_code, wrong.json["code"]) == (422, "owner_account")
    assert year.person.post("/api/appropriations", json={"year": 2199}).json["code"] == "period_open"
