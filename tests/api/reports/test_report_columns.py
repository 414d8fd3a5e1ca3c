"""What stands beside a period in a report: another period of choice, or its months."""

import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite

REPORTS = "/api/reports"
KEYS = {"trial-balance": "trialBalance", "profit-and-loss": "profitAndLoss", "balance-sheet": "balanceSheet"}
FEBRUARY = "from=2026-02-01&to=2026-02-28"
NONE = {"months": None, "yearToDate": None, "parts": None}


@pytest.fixture
def rents(books):
    books.post("""
    account Bank ASSET

    2025-02-28 Rent
        Rent   100.00 EUR
        Bank

    2026-01-31 Rent
        Rent   300.00 EUR
        Bank

    2026-02-01 Rent
        Rent   350.00 EUR
        Bank
    """)


def asked(person, report, query):
    answer = person.get(f"{REPORTS}/{report}?{query}")
    assert answer.status_code == 200, answer.json
    return answer.json[KEYS[report]]


@pytest.mark.parametrize(
    ("chosen", "period", "before"),
    [
        ("", ("2026-01-01", "2026-01-31"), "300.00"),
        ("&compareWith=previous_period", ("2026-01-01", "2026-01-31"), "300.00"),
        ("&compareWith=previous_year", ("2025-02-01", "2025-02-28"), "100.00"),
        ("&compareFrom=2025-01-01&compareTo=2026-01-31", ("2025-01-01", "2026-01-31"), "400.00"),
        ("&compareWith=none", None, None),
    ],
)
def test_a_period_is_compared_with_what_is_asked(cleo, rents, chosen, period, before):
    report = asked(cleo, "profit-and-loss", FEBRUARY + chosen)
    assert report["comparedWith"] == (period and {"from": period[0], "to": period[1]})
    assert [(line["amount"], line["before"]) for line in report["lines"]] == [("350.00", before)]
    assert report["expenses"] == {
        "amount": "350.00",
        "before": before,
        "months": None,
        "yearToDate": None,
        "parts": None,
    }
    assert report["income"]["before"] == (before and "0.00")
    assert report["result"]["before"] == (before and f"-{before}")


def test_balances_are_compared_with_the_close_of_the_other_period(cleo, rents):
    query = f"{FEBRUARY}&compareWith=previous_year"
    sheet = asked(cleo, "balance-sheet", query)
    assert sheet["assets"] == {
        "amount": "-750.00",
        "before": "-100.00",
        "months": None,
        "yearToDate": None,
        "parts": None,
    }
    assert (sheet["earlierResults"]["before"], sheet["resultOfYear"]["before"]) == ("0.00", "100.00")
    (rent,) = [line for line in asked(cleo, "trial-balance", query)["lines"] if line["name"] == "Rent"]
    assert (rent["closing"], rent["before"]) == ("650.00", "100.00")


def test_months_stand_side_by_side_and_add_up(cleo, rents):
    query = "from=2025-12-15&to=2026-02-15&months=true&compareWith=none"
    report = asked(cleo, "profit-and-loss", query)
    assert report["months"] == [
        {"from": "2025-12-15", "to": "2025-12-31"},
        {"from": "2026-01-01", "to": "2026-01-31"},
        {"from": "2026-02-01", "to": "2026-02-15"},
    ]
    assert [line["months"] for line in report["lines"]] == [["0.00", "300.00", "350.00"]]
    assert report["result"]["months"] == ["0.00", "-300.00", "-350.00"]
    sheet = asked(cleo, "balance-sheet", query)
    assert sheet["assets"]["months"] == ["-100.00", "-400.00", "-750.00"]
    assert sheet["resultOfYear"]["months"] == ["100.00", "300.00", "650.00"]
    assert sheet["equity"]["months"] == ["0.00", "100.00", "100.00"]
    (rent,) = [line for line in asked(cleo, "trial-balance", query)["lines"] if line["name"] == "Rent"]
    assert rent["months"] == ["100.00", "300.00", "650.00"]


@on_sqlite
@pytest.mark.parametrize(
    "query",
    [
        "compareWith=last_year",
        "compareFrom=2025-01-01",
        "compareTo=2025-01-01",
        "compareFrom=2025-02-01&compareTo=2025-01-01",
        "compareFrom=2025-01-01&compareTo=2025-01-31&compareWith=none",
        "from=2024-01-01&to=2026-01-01&months=true",
    ],
)
def test_columns_that_are_none_are_refused(cleo, query):
    for report in KEYS:
        assert cleo.get(f"{REPORTS}/{report}?{query}").status_code == 422


def test_pages_name_the_totals_of_both_columns(cleo, rents):
    browser, query = cleo.browser(), f"{FEBRUARY}&compareWith=previous_year"
    sheet = " ".join(browser.get(f"/reports/balance-sheet?{query}").text.split())
    totals = re.findall(r'class="figure total ties" value="([^"]*)"', sheet)
    assert totals == ["-750.00", "-100.00"] * 2
    result = browser.get(f"/reports/profit-and-loss?{query}").text
    assert "28 Feb 2025" in result
    assert "compareWith=previous_year" in result
    assert "Total uncategorised" in result or "Gross profit" in result
    assert "Total: Equity" in sheet
    alone = browser.get(f"/reports/profit-and-loss?{FEBRUARY}&compareWith=none&months=true").text
    assert "Change" not in alone
    assert "Feb 2026" in alone
    assert browser.get(f"/reports/trial-balance?{query}&months=true").status_code == 200
    assert browser.get(f"/reports/trial-balance?{FEBRUARY}&compareFrom=2025-01-01").status_code == 200


def test_pages_compare_with_the_same_days_a_year_before(cleo, rents):
    result = cleo.browser().get(f"/reports/profit-and-loss?{FEBRUARY}").text
    assert re.search("1 Feb 2025 . 28 Feb 2025", result)
    assert "compareWith=previous_year" in result[result.index("Export") :]


def test_pages_offer_the_month_the_quarter_and_the_financial_year(cleo, rents):
    page = cleo.browser().get(f"/reports/balance-sheet?{FEBRUARY}&compareWith=none").text
    spans = re.findall(
        r'href="/reports/balance-sheet\?([^"]*)" ?(aria-current)?[^>]*>\s*(Month|Quarter|Year)', page
    )
    assert [(name, bool(current)) for _, current, name in spans] == [
        ("Month", True),
        ("Quarter", False),
        ("Year", False),
    ]
    assert all("compareWith=none" in address for address, _, _ in spans)
    assert "from=2026-01-01" in spans[1][0]
    assert "to=2026-03-31" in spans[1][0]
    assert 'aria-label="The month before"' in page
    assert 'aria-label="The month after"' in page
