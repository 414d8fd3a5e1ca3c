"""The financial year: its first month as a setting, and what begins anew with it in every report."""

import pytest

pytestmark = pytest.mark.both

PATH, REPORTS = "/api/financial-year", "/api/reports"


def change(person, month):
    return person.put(PATH, json={"firstMonth": month})


@pytest.fixture
def two_years(books):
    books.post("""
    account Bank ASSET

    2025-03-01 Sales
        Bank               1000.00 EUR
        Sales of services

    2025-07-01 Rent
        Rent   400.00 EUR
        Bank

    2026-02-01 Sales
        Bank                300.00 EUR
        Sales of services
    """)


def trial_balance(person, first, last):
    answer = person.get(f"{REPORTS}/trial-balance?from={first}&to={last}&compareWith=none").json[
        "trialBalance"
    ]
    assert answer["debit"] == answer["credit"]
    return {
        line["name"]: [line[name] for name in ("opening", "change", "carry", "closing")]
        for line in answer["lines"]
    }


def ledger(person, first, last, *, limit=200):
    lines, cursor = [], ""
    while cursor is not None:
        page = person.get(f"{REPORTS}/general-ledger?from={first}&to={last}&limit={limit}{cursor}").json
        lines += page["lines"]
        cursor = page["nextCursor"] and f"&cursor={page['nextCursor']}"
    return [
        (
            line["accountName"],
            line["effectiveAt"][:10],
            line["source"],
            line["amountBase"],
            line["balanceBase"],
        )
        for line in lines
    ]


def figures(sums):
    return sums["amount"], sums["before"]


def test_income_and_expenses_begin_a_year_at_nil_and_their_result_is_in_retained_earnings(cleo, two_years):
    assert trial_balance(cleo, "2026-01-01", "2026-12-31") == {
        "Retained earnings": ["-600.00", "0.00", "0.00", "-600.00"],
        "Sales of services": ["0.00", "-300.00", "0.00", "-300.00"],
        "Bank": ["600.00", "300.00", "0.00", "900.00"],
    }
    sheet = cleo.get(f"{REPORTS}/balance-sheet?from=2026-01-01&to=2026-12-31").json["balanceSheet"]
    assert [(line["name"], line["amount"], line["before"]) for line in sheet["lines"]] == [
        ("Bank", "900.00", "600.00"),
        ("Retained earnings", "-600.00", "0.00"),
    ]
    assert (sheet["equity"]["amount"], sheet["earlierResults"]["amount"]) == ("-600.00", "-600.00")
    assert figures(sheet["resultOfYear"]) == ("-300.00", "-600.00")


def test_a_range_over_a_year_start_has_the_carry_as_a_movement_on_its_first_day(cleo, two_years):
    assert trial_balance(cleo, "2025-07-01", "2026-02-28") == {
        "Retained earnings": ["0.00", "0.00", "-600.00", "-600.00"],
        "Sales of services": ["-1000.00", "-300.00", "1000.00", "-300.00"],
        "Rent": ["0.00", "400.00", "-400.00", "0.00"],
        "Bank": ["1000.00", "-100.00", "0.00", "900.00"],
    }
    expected = [
        ("Retained earnings", "2026-01-01", "carry", "-600.00", "-600.00"),
        ("Sales of services", "2026-01-01", "carry", "1000.00", "0.00"),
        ("Sales of services", "2026-02-01", "manual", "-300.00", "-300.00"),
        ("Rent", "2025-07-01", "manual", "400.00", "400.00"),
        ("Rent", "2026-01-01", "carry", "-400.00", "0.00"),
        ("Bank", "2025-07-01", "manual", "-400.00", "600.00"),
        ("Bank", "2026-02-01", "manual", "300.00", "900.00"),
    ]
    assert ledger(cleo, "2025-07-01", "2026-02-28") == expected
    assert ledger(cleo, "2025-07-01", "2026-02-28", limit=1) == expected
    assert ledger(cleo, "2025-07-01", "2026-02-28", limit=3) == expected
    query = f"{REPORTS}/general-ledger?from=2025-07-01&to=2026-02-28&count=true&limit=2"
    assert cleo.get(query).json["total"] == len(expected)


def test_the_first_month_is_a_setting_and_moves_every_year_where_nothing_is_locked(ada, cleo, two_years):
    assert cleo.get(PATH).json["financialYear"]["firstMonth"] == 1
    year = change(ada, 7).json["financialYear"]
    assert (year["firstMonth"], year["from"][5:], year["to"][5:]) == (7, "07-01", "06-30")
    assert year["firstMonths"] == [{"startsOn": None, "firstMonth": 7}]
    assert trial_balance(cleo, "2025-07-01", "2026-06-30")["Sales of services"] == [
        "0.00", "-300.00", "0.00", "-300.00",
    ]  # fmt: skip
    sheet = cleo.get(f"{REPORTS}/balance-sheet?from=2025-07-01&to=2026-06-30").json["balanceSheet"]
    assert (sheet["resultOfYear"]["amount"], sheet["earlierResults"]["amount"]) == ("100.00", "-1000.00")
    shown = cleo.get(f"{REPORTS}/trial-balance").json["trialBalance"]["period"]
    assert shown["from"][5:] == "07-01"


def test_a_change_leaves_locked_years_as_they_are_and_makes_a_short_one(ada, cleo, two_years):
    assert ada.put("/api/lock-date", json={"lockDate": "2025-12-31"}).status_code == 200
    year = change(ada, 7).json["financialYear"]
    assert year["firstMonths"] == [{"startsOn": "2026-01-01", "firstMonth": 7}]
    assert trial_balance(cleo, "2026-02-01", "2026-07-01")["Sales of services"] == [
        "0.00", "-300.00", "300.00", "0.00",
    ]  # fmt: skip
    assert trial_balance(cleo, "2025-07-01", "2025-12-31")["Rent"] == ["0.00", "400.00", "0.00", "400.00"]


def test_only_an_owner_changes_it_and_the_trail_has_it(ada, ben, cleo):
    assert change(ben, 4).status_code == 403
    assert change(ada, 13).status_code == 422
    assert change(ada, 4).status_code == 200
    (newest,) = ada.get("/api/action-requests?limit=1").json["actionRequests"]
    assert (newest["kind"], newest["title"]) == (
        "change_financial_year",
        "Changed the first month of the financial year to April",
    )
    assert change(ada, 4).status_code == 200
    assert ada.get("/api/action-requests?limit=1").json["actionRequests"][0]["id"] == newest["id"]
    page = ada.browser().get("/settings/financial-year").text
    assert "April" in page
    assert ada.browser().post("/settings/financial-year", data={"firstMonth": "10"}).status_code == 303
    assert ada.get(PATH).json["financialYear"]["firstMonth"] == 10
    assert ada.browser().post("/settings/financial-year", data={"firstMonth": "0"}).status_code == 422
    assert "Only an owner" in cleo.browser().get("/settings/financial-year").text


def test_personal_accounts_stand_apart_and_the_balance_sheet_balances(ada, cleo, books, two_years):
    books.post("""
    account Groceries EXPENSE

    2025-05-01 Groceries
        Groceries   40.00 EUR
        Bank

    2026-05-01 Groceries
        Groceries   25.00 EUR
        Bank
    """)
    ada.patch(f"/api/accounts/{books.account_id('Groceries')}", json={"inScope": False})
    period = "?from=2026-01-01&to=2026-12-31"
    result = cleo.get(f"{REPORTS}/profit-and-loss{period}").json["profitAndLoss"]
    sums = {name: figures(result[name]) for name in ("expenses", "result", "personal")}
    assert sums == {
        "expenses": ("0.00", "400.00"),
        "result": ("300.00", "600.00"),
        "personal": ("25.00", "40.00"),
    }
    assert figures(result["resultWithPersonal"]) == ("275.00", "560.00")
    sheet = cleo.get(f"{REPORTS}/balance-sheet{period}").json["balanceSheet"]
    assert figures(sheet["resultOfYear"]) == ("-300.00", "-600.00")
    assert figures(sheet["personalOfYear"]) == ("25.00", "40.00")
    assert [(line["accountId"], line["amount"]) for line in sheet["lines"] if not line["inScope"]] == [
        (None, "40.00")
    ]
    assert (sheet["equity"]["amount"], sheet["personalEarlier"]["amount"]) == ("-560.00", "40.00")
    assert trial_balance(cleo, "2026-01-01", "2026-12-31")["Personal, of earlier years"][0] == "40.00"
    page = " ".join(cleo.browser().get(f"/reports/profit-and-loss{period}").text.split())
    assert "Profit with personal accounts" in page
    page = " ".join(cleo.browser().get(f"/reports/balance-sheet{period}").text.split())
    assert 'class="figure total ties" value="835.00"' in page
    assert "Personal, of the year" in page
