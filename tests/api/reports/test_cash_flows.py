"""Cash flows, changes in equity and the day book: by other legs, and tied to the balance sheet."""

from tests.fixtures.helpers.owed import owe

REPORTS = "/api/reports"
SPAN = "from=2026-02-01&to=2026-02-28"
DAYS = f"{SPAN}&compareWith=none"
CHART = """
account Main bank ASSET
account Card LIABILITY
account Van ASSET
account Bank loan LIABILITY
account Capital EQUITY
account Drawn EQUITY

2026-01-05 Start
    Main bank             3000.00 EUR
    Capital

2026-02-02 A customer pays
    Main bank              640.00 EUR
    Trade receivables

2026-02-03 A van
    Van                   1250.00 EUR
    Main bank

2026-02-04 Instalment
    Bank loan               90.00 EUR
    Bank charges            12.50 EUR
    Main bank

2026-02-05 Fuel by card
    Travel                  55.00 EUR
    Card

2026-02-20 The card is paid
    Card                    40.00 EUR
    Main bank

2026-02-24 Drawn
    Drawn                  200.00 EUR
    Main bank

2026-02-26 Put in
    Petty cash              75.00 EUR
    Capital

2026-02-27 To another bank
    Transfers between own accounts  310.00 EUR
    Main bank

2026-02-27 Sale on credit
    Trade receivables      500.00 EUR
    Sales of services
"""
GROUPS = {"Main bank": "BANK", "Van": "FIXED_ASSETS", "Bank loan": "LOANS"}


def grouped(person, books):
    for name, group in GROUPS.items():
        assert (
            person.patch(f"/api/accounts/{books.account_id(name)}", json={"group": group}).status_code == 200
        )


def read(person, report, key, query=DAYS):
    answer = person.get(f"{REPORTS}/{report}?{query}")
    assert answer.status_code == 200, answer.json
    return answer.json[key]


def flows(person, query=DAYS):
    found = read(person, "cash-flow", "cashFlow", query)
    sums = {each: found[each]["amount"] for each in ("opening", "exchangeEffect", "closing", "inTransit")}
    sums |= {each["code"]: each["figures"]["amount"] for each in found["activities"]}
    return sums, {line["name"]: line["amount"] for each in found["activities"] for line in each["lines"]}


def test_money_flows_by_the_other_legs_of_its_entries(ada, books):
    books.post(CHART)
    grouped(ada, books)
    sums, lines = flows(ada)
    assert sums == {
        "opening": "3000.00",
        "OPERATING": "587.50",
        "INVESTING": "-1250.00",
        "FINANCING": "-215.00",
        "exchangeEffect": "0.00",
        "closing": "2122.50",
        "inTransit": "310.00",
    }
    assert lines == {
        "Trade receivables": "640.00",
        "Bank charges": "-12.50",
        "Card": "-40.00",
        "Van": "-1250.00",
        "Bank loan": "-90.00",
        "Drawn": "-200.00",
        "Capital": "75.00",
    }
    found = read(ada, "cash-flow", "cashFlow", "from=2026-01-01&to=2026-02-28&months=true&compareWith=none")
    assert found["opening"]["months"] == ["0.00", "3000.00"]
    assert found["closing"]["months"] == ["3000.00", "2122.50"]


def test_exchange_of_own_money_and_revaluation_are_the_effect_of_rates(ada, bank, books):
    usd = bank.open("Dollars", "USD")
    books.post("""
    2026-01-02 Start
        Petty cash   500.00 EUR
        Owner's contributions
    """)
    bank.quote("2026-02-03", "USD", "1.25")
    bank.quote("2026-02-28", "USD", "1.20")
    legs = [
        {"accountId": bank.ledger_account(usd), "amount": "125.00", "currency": "USD"},
        {"accountId": books.account_id("Petty cash"), "amount": "-101.40"},
        {"accountId": bank.role("realised_exchange"), "amount": "1.40"},
    ]
    body = {"effectiveAt": "2026-02-03", "postings": legs, "post": True}
    assert ada.post("/api/journal-entries", json=body).status_code == 201
    owe(ada, books, "60.00", day="2026-02-04", currency="USD")
    assert ada.post("/api/revaluations", json={"asOf": "2026-02-28"}).status_code == 200
    sums, lines = flows(ada)
    # 125.00 USD were 100.00, and are 104.17 at the end; the dollars that are owed are no cash.
    assert (sums["opening"], sums["exchangeEffect"], sums["closing"]) == ("500.00", "2.77", "502.77")
    assert lines == {}


def test_equity_goes_from_its_opening_to_that_of_the_balance_sheet(ada, books):
    books.post(CHART)
    grouped(ada, books)
    found = read(ada, "changes-in-equity", "changesInEquity", SPAN)
    names = ("opening", "result", "contributions", "drawings", "appropriation", "other", "closing")
    lines = {line["name"]: [line[each] for each in names] for line in found["lines"]}
    assert lines == {
        "Capital": ["3000.00", "0.00", "75.00", "0.00", "0.00", "0.00", "3075.00"],
        "Drawn": ["0.00", "0.00", "0.00", "-200.00", "0.00", "0.00", "-200.00"],
        "Retained earnings": ["0.00", "432.50", "0.00", "0.00", "0.00", "0.00", "432.50"],
    }
    sheet = read(ada, "balance-sheet", "balanceSheet")["rows"]
    assert found["total"]["closing"] == sheet[-1]["amount"] == "3307.50"


def test_the_trial_balance_says_what_each_side_was_moved_by(ada, books):
    books.post(CHART)
    lines = read(ada, "trial-balance", "trialBalance", f"{SPAN}&turnovers=true")["lines"]
    found = {line["name"]: (line["debited"], line["credited"], line["change"]) for line in lines}
    assert found["Card"] == ("40.00", "55.00", "-15.00")
    assert found["Main bank"] == ("640.00", "1902.50", "-1262.50")
    assert read(ada, "trial-balance", "trialBalance")["lines"][0]["debited"] is None


def test_the_day_book_has_each_leg_with_its_other_side(ada, books):
    books.post(CHART)
    page = ada.get(f"{REPORTS}/day-book?{SPAN}&limit=5").json
    assert (page["debit"], page["credit"]) == ("3172.50", "3172.50")
    assert [(e["accountName"], e["debit"], e["credit"], e["contra"]) for e in page["lines"][2:5]] == [
        ("Van", "1250.00", None, ["Main bank"]),
        ("Main bank", None, "1250.00", ["Van"]),
        ("Bank loan", "90.00", None, ["Main bank"]),
    ]
    rest = ada.get(f"{REPORTS}/day-book?{SPAN}&cursor={page['nextCursor']}").json
    assert len(page["lines"]) + len(rest["lines"]) == 19
    assert rest["lines"][1]["contra"] == ["Bank loan", "Bank charges"]
