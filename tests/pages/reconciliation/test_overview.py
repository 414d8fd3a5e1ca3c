"""Cash, income and expenses of twelve months: the same figures in the picture, in its table and in the reports."""

import re

import pytest

from tests.fixtures.helpers.marks import on_sqlite

pytestmark = on_sqlite


@pytest.fixture
def posted(bank, desk, ben):
    bank.open("Main account")
    sales = bank.account("Sales of prints", "INCOME")
    (line,) = bank.send_many([("2026-10-02", "100.00", "Invoice 17")])
    ben.patch(f"/api/transactions/{line}", json={"accountId": sales})
    desk.confirm(line)
    desk.confirm(*bank.send_many([("2026-11-03", "-30.00", "Rent")]))


def rows_of(page, title):
    """Read the figures of a table by its title, and a dash as none."""
    body = page.split(f"<summary>{title}</summary>")[1].split("</tbody>")[0].split("<tbody>")[1]
    cells = (re.findall(r'value="([^"]*)"|class="(none)"', row) for row in body.split("</tr>"))
    return [[figure or None for figure, _ in row] for row in cells if row]


def test_the_table_says_what_the_picture_shows(ada, posted):
    page = ada.browser().get("/reports/overview").text
    rows = rows_of(page, "The figures of each month")
    november = rows.index(["0.00", "30.00", "-30.00", "70.00", None])
    assert rows[:november] == [["0.00", "0.00", "0.00", "70.00", None]] * november
    assert rows[november + 1 : november + 3] == [
        ["100.00", "0.00", "100.00", "100.00", None],
        [None] * 5,
    ]
    assert ["70.00"] in rows_of(page, "Cash of each week")
    weeks = re.findall(r'class="chart-mark" href="/journal\?([^"]*)"', page)
    assert "from=2026-10-26&amp;to=2026-10-31" in {
        "&amp;".join(sorted(week.split("&amp;"))) for week in weeks
    }
    assert page.count("26 Oct to 31 Oct 2026") == 2
    assert "October 2026: Income 100.00" in page
    assert "November 2026: Expenses 30.00" in page
    assert page.count("chart-bar") == 2
    assert "style=" not in page


@pytest.mark.parametrize(("months", "shown"), [("3", 3), ("24", 24), ("7", 12), ("", 12)])
def test_the_range_is_chosen(ada, posted, months, shown, at_most):
    browser = ada.browser()
    with at_most(20):
        page = browser.get(f"/reports/overview?months={months}").text
    assert len(rows_of(page, "The figures of each month")) == shown
    assert f"Cash of {shown} months" in page


def test_the_hub_loads_it_afterwards_and_without_scripts_leads_to_it(ada, posted):
    hub = ada.browser().get("/").text
    assert 'hx-get="/reports/overview"' in hub
    assert 'href="/reports/overview"' in hub
    part = ada.browser().htmx("GET", "/reports/overview", target="section#overview").text
    assert "<html" not in part
    assert 'id="overview"' in part


def test_books_without_an_account_have_no_line(dan):
    page = dan.browser().get("/reports/overview").text
    assert "Nothing is posted to a bank account yet" in page
    assert "Neither income nor expenses are posted" in page
    assert "chart-plot" not in page
    assert rows_of(page, "The figures of each month") == [[None] * 5] * 12


def test_books_and_statements_are_compared_by_day(ben, bank, desk, posted):
    def page():
        return ben.browser().get(f"/feeds/{bank.fa_id}/balances").text

    assert "No statement and no file has a balance for these months." in page()
    desk.prove("2026-10-31", "100.00")
    assert 'Books and statements agree on <time datetime="2026-10-31">' in page()
    desk.prove("2026-11-20", "70.00")
    desk.void(2)
    broken = page()
    assert 'agree until <time datetime="2026-10-31">' in broken
    assert "the books have 30.00 more" in broken
    assert "from=2026-11-01" in broken
    assert "to=2026-11-20" in broken
    assert re.findall(r'value="([^"]*)"', broken.split("<tbody>")[1])[:6] == [
        "70.00",
        "100.00",
        "-30.00",
        "100.00",
        "100.00",
        "0.00",
    ]
    assert broken.count('class="chart-dot') == 2
