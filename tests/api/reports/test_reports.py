"""Reports over the API: what counts, which period, what it is compared with."""

import re
from decimal import Decimal

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = pytest.mark.both

REPORTS = "/api/reports"


@pytest.fixture
def studio(ada, bank):
    """A client's payment in January, rent in February and March, and a draft that counts in nothing."""
    bank.open()
    sales, rent = bank.account("Sales", "INCOME", code="4001"), bank.account("Rent", "EXPENSE", code="6101")
    for day, amount, account in (
        ("2025-12-30", "100.00", sales),
        ("2026-01-15", "1000.00", sales),
        ("2026-02-01", "-300.00", rent),
        ("2026-03-01", "-350.00", rent),
    ):
        line = bank.send(day, amount)
        ada.patch(f"/api/transactions/{line}", json={"accountId": account})
        ada.post(f"/api/transactions/{line}/confirm")
    bank.send("2026-02-10", "-77.00", "Only a draft")
    return bank


def asked(person, report, key, **period):
    query = "&".join(f"{name.rstrip('_')}={day}" for name, day in period.items())
    answer = person.get(f"{REPORTS}/{report}?{query}")
    assert answer.status_code == 200, answer.json
    return answer.json[key]


def figures(sums):
    return sums["amount"], sums["before"]


def test_a_trial_balance_has_opening_change_and_closing_and_two_equal_sides(cleo, studio):
    report = asked(cleo, "trial-balance", "trialBalance", from_="2026-02-01", to="2026-02-28")
    assert report["period"] == {"from": "2026-02-01", "to": "2026-02-28"}
    assert {line["name"]: (line["opening"], line["change"], line["closing"]) for line in report["lines"]} == {
        "Main account": ("1100.00", "-300.00", "800.00"),
        "Retained earnings": ("-100.00", "0.00", "-100.00"),
        "Sales": ("-1000.00", "0.00", "-1000.00"),
        "Rent": ("0.00", "300.00", "300.00"),
    }
    assert report["debit"] == report["credit"] == "1100.00"
    (sales,) = [line for line in report["lines"] if line["name"] == "Sales"]
    assert (sales["debit"], sales["credit"]) == (None, "1000.00")


def test_profit_and_loss_is_compared_with_the_period_before(cleo, studio):
    report = asked(cleo, "profit-and-loss", "profitAndLoss", from_="2026-02-01", to="2026-02-28")
    assert report["comparedWith"] == {"from": "2026-01-01", "to": "2026-01-31"}
    assert {line["name"]: (line["amount"], line["before"]) for line in report["lines"]} == {
        "Sales": ("0.00", "-1000.00"),
        "Rent": ("300.00", "0.00"),
    }
    assert report["result"] == {
        "amount": "-300.00",
        "before": "1000.00",
        "months": None,
        "yearToDate": None,
        "parts": None,
    }


def test_a_balance_sheet_adds_up_to_nothing_with_results_that_are_not_closed(cleo, studio):
    report = asked(cleo, "balance-sheet", "balanceSheet", from_="2026-01-01", to="2026-03-31")
    assert figures(report["assets"]) == ("450.00", "100.00")
    assert figures(report["resultOfYear"]) == ("-350.00", "-100.00")
    assert figures(report["earlierResults"]) == ("-100.00", "0.00")
    assert report["equity"] == report["earlierResults"]
    five = ("assets", "liabilities", "equity", "resultOfYear", "personalOfYear")
    assert sum(Decimal(report[name]["amount"]) for name in five) == 0


def test_the_general_ledger_runs_a_balance_through_its_pages(cleo, studio):
    lines, cursor = [], ""
    while cursor is not None:
        page = cleo.get(f"{REPORTS}/general-ledger?from=2026-01-01&to=2026-12-31&limit=2{cursor}").json
        lines += page["lines"]
        cursor = page["nextCursor"] and f"&cursor={page['nextCursor']}"
    ledger = [
        (line["accountName"], line["effectiveAt"][:10], line["amountBase"], line["balanceBase"])
        for line in lines
    ]
    assert sorted(ledger[:-3], key=str) == sorted(
        [
            ("Sales", "2026-01-15", "-1000.00", "-1000.00"),
            ("Rent", "2026-02-01", "300.00", "300.00"),
            ("Rent", "2026-03-01", "350.00", "650.00"),
        ],
        key=str,
    )
    assert ledger[-3:] == [
        ("Main account", "2026-01-15", "1000.00", "1100.00"),
        ("Main account", "2026-02-01", "-300.00", "800.00"),
        ("Main account", "2026-03-01", "-350.00", "450.00"),
    ]


def test_several_postings_of_one_day_go_on_from_each_other(ada, bank):
    for line in bank.send_many([("2026-03-01", f"{number}.00", "Same day") for number in range(1, 6)]):
        ada.post(f"/api/transactions/{line}/confirm")
    account = bank.ledger_account()
    found, cursor = [], ""
    while cursor is not None:
        page = ada.get(f"{REPORTS}/general-ledger?from=2026-03-01&accountId={account}&limit=1{cursor}").json
        found += [line["balanceBase"] for line in page["lines"]]
        cursor = page["nextCursor"] and f"&cursor={page['nextCursor']}"
    assert found == ["1.00", "3.00", "6.00", "10.00", "15.00"]


def test_without_days_it_is_the_year_up_to_today(cleo, studio):
    report = asked(cleo, "trial-balance", "trialBalance")
    assert report["period"]["from"][5:] == "01-01"


@on_sqlite
@pytest.mark.parametrize("query", ["from=2026-02-30", "from=2026-03-01&to=2026-02-01", "day=2026-01-01"])
def test_a_period_that_is_none_is_refused(cleo, query):
    for report in ("trial-balance", "profit-and-loss", "balance-sheet", "general-ledger"):
        assert cleo.get(f"{REPORTS}/{report}?{query}").status_code == 422


def test_pages_say_the_same_in_peoples_signs(cleo, studio):
    browser = cleo.browser()
    assert browser.get("/reports").status_code == 303
    period = "?from=2026-01-01&to=2026-03-31"
    trial = browser.get(f"/reports/trial-balance{period}").text
    assert 'value="1100.00"' in trial
    assert 'class="figure total ties"' in trial
    profit = browser.get(f"/reports/profit-and-loss{period}").text
    assert "Profit" in profit
    assert 'value="350.00"' in profit
    sheet = browser.get(f"/reports/balance-sheet{period}").text
    assert 'class="figure total ties" value="450.00"' in " ".join(sheet.split())
    ledger = browser.get(f"/reports/general-ledger{period}").text
    assert "/journal/" in ledger
    february = " ".join(browser.get("/reports/general-ledger?from=2026-02-01&to=2026-02-28").text.split())
    forward = re.findall(r'Brought forward <data class="figure[^"]*" value="([^"]*)"', february)
    assert sorted(forward) == ["0.00", "1100.00"]
    assert browser.get("/reports/trial-balance?from=nonsense").status_code == 200


def test_reports_of_empty_books_say_so(dan):
    for report in ("trial-balance", "profit-and-loss", "balance-sheet", "general-ledger"):
        assert "Drafts count in no report" in dan.browser().get(f"/reports/{report}").text
