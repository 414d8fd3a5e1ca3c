"""Every report as a file: CSV and XLSX have the same cells, and the figures of the report."""

import csv
import io

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from webapp.importers.archives import Archive
from webapp.importers.xlsx.workbooks import Workbook

PATH = "/api/exports/report"
DAYS = "from=2026-01-01&to=2026-02-28"
CARRIED = "Result carried to the new financial year"
STATEMENTS, GENERAL_LEDGER = ("trial_balance", "profit_and_loss", "balance_sheet"), "general_ledger"
OTHERS = ("cash_flow", "changes_in_equity", "day_book")
REPORTS = (*STATEMENTS, GENERAL_LEDGER, *OTHERS, "aged_receivables", "aged_payables", "register")


@pytest.fixture
def kept(ada, books):
    """Sales of 1,000.00 in 2025; sales of 300.00 and rent of 120.50 of a project, and groceries, in 2026."""
    books.post("""
    account Bank ASSET
    account Groceries EXPENSE

    2025-03-01 =1+1
        Bank               1000.00 EUR
        Sales of services

    2026-01-10 Sales
        Bank                300.00 EUR
        Sales of services

    2026-02-11 Groceries
        Groceries            25.00 EUR
        Bank
    """)
    ada.patch(f"/api/accounts/{books.account_id('Groceries')}", json={"inScope": False})
    project = ada.post("/api/projects", json={"name": "=Villa"}).json["project"]["id"]
    rent = {"accountId": books.account_id("Rent"), "amount": "120.50", "projectId": project}
    bank = {"accountId": books.account_id("Bank"), "amount": "-120.50"}
    body = {
        "effectiveAt": "2026-02-01T00:00:00Z",
        "description": "@Rent",
        "postings": [rent, bank],
        "post": True,
    }
    assert ada.post("/api/journal-entries", json=body).status_code == 201
    return project


def of_csv(person, query):
    answer = person.get(f"{PATH}?format=csv&{query}")
    assert (answer.status_code, answer.mimetype) == (200, "text/csv"), answer.text
    return list(csv.reader(io.StringIO(answer.text)))


def of_xlsx(person, query):
    answer = person.get(f"{PATH}?format=xlsx&{query}")
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"].endswith(".xlsx")
    book = Workbook(Archive(answer.data))
    rows = [[str(cell) for cell in cells] for _, cells in book.sheet(book.sheets[0]).rows]
    width = len(rows[0])
    return [[*row, *[""] * (width - len(row))] for row in rows]


@pytest.mark.both
@pytest.mark.parametrize("report", REPORTS)
@pytest.mark.parametrize("more", ["", "&compareWith=previous_year&months=true&groupBy=project"])
def test_both_files_have_the_same_cells(cleo, kept, books, report, more):
    query = f"report={report}&{DAYS}{more if report in STATEMENTS else ''}"
    if report == "register":
        query += f"&accountId={books.account_id('Bank')}"
    if more and report in STATEMENTS[:2]:
        query += "&turnovers=true&yearToDate=true&percentOfSales=true&layout=de"
    written = of_csv(cleo, query)
    assert [[cell.removeprefix("'") for cell in row] for row in written] == of_xlsx(cleo, query)
    assert {len(row) for row in written} == {len(written[0])}


def test_a_profit_and_loss_statement_reads_as_its_page(cleo, kept):
    rows = of_csv(cleo, f"report=profit_and_loss&{DAYS}&compareWith=previous_year&groupBy=project")
    shown = [[row[1], *row[3:]] for row in rows]
    assert shown == [
        ["Account", "Project", "2026-01-01 to 2026-02-28", "2025-01-01 to 2025-02-28"],
        ["Sales of services", "", "300.00", "0.00"],
        ["Sales of services", "None", "300.00", "0.00"],
        *(
            [f"{each}", part, "300.00", "0.00"]
            for each in ("Total: Sales", "Gross profit")
            for part in ("", "None")
        ),
        ["Rent", "", "-120.50", "0.00"],
        ["Rent", "'=Villa", "-120.50", "0.00"],
        ["Total: Overheads", "", "-120.50", "0.00"],
        ["Total: Overheads", "'=Villa", "-120.50", "0.00"],
        *(
            [name, *cells]
            for name in ("Operating result", "Result before tax", "Result")
            for cells in (["", "179.50", "0.00"], ["'=Villa", "-120.50", "0.00"], ["None", "300.00", "0.00"])
        ),
        ["Groceries", "", "25.00", "0.00"],
        ["Groceries", "None", "25.00", "0.00"],
        ["Total: Personal", "", "25.00", "0.00"],
        ["Total: Personal", "None", "25.00", "0.00"],
        ["Profit or loss with personal accounts", "", "154.50", "0.00"],
        ["Profit or loss with personal accounts", "'=Villa", "-120.50", "0.00"],
        ["Profit or loss with personal accounts", "None", "275.00", "0.00"],
    ]


def test_a_balance_sheet_and_a_trial_balance_add_up(cleo, kept):
    rows = of_csv(cleo, f"report=balance_sheet&{DAYS}&compareWith=none")
    shown = {row[1]: row[3] for row in rows}
    assert (shown["Assets"], shown["Liabilities and equity"]) == ("1154.50", "1154.50")
    assert (shown["Result of the year"], shown["Personal, of the year"]) == ("179.50", "-25.00")
    *_, total = of_csv(cleo, f"report=trial_balance&{DAYS}&compareWith=none")
    assert total == ["", "Total", "", "", "", "", "", "1300.00", "1300.00"]


@pytest.mark.both
def test_the_general_ledger_is_whole_whatever_its_length(cleo, kept, books, monkeypatch):
    query = f"report=general_ledger&from=2025-06-01&to=2026-02-28&accountId={books.account_id('Sales of services')}"
    expected = [
        ["2025-06-01", "", "", "Brought forward", "", "", "", "", "", "", "-1000.00"],
        ["2026-01-01", "", "", CARRIED, "carry", "", "", "1000.00", "EUR", "1000.00", "0.00"],
        ["2026-01-10", "2", "2", "Sales", "manual", "", "", "-300.00", "EUR", "-300.00", "-300.00"],
    ]  # fmt: skip
    grouped = (
        f"report=general_ledger&from=2026-02-02&to=2026-02-28&accountId={books.account_id('Bank')}&groupBy="
    )
    in_parts = [
        ["", "Bank", "None", "2026-02-02", "", "", "Brought forward", "", "", "", "", "", "1179.50"],
        ["", "Bank", "None", "2026-02-11", "3", "3", "Groceries", "manual", "", "-25.00", "EUR", "-25.00", "1154.50"],
    ]  # fmt: skip
    for at_once in (1, 2, 10_000):
        monkeypatch.setattr("webapp.queries.reports.ledger_tables.LINES_AT_ONCE", at_once)
        assert [row[2:] for row in of_csv(cleo, query)[1:]] == expected
        heads, *rows = of_csv(cleo, grouped + "project")
        assert heads[:4] == ["Code", "Account", "Project", "Day"]
        assert rows == in_parts
        assert of_xlsx(cleo, grouped + "project_group")[0][2] == "Project group"
    (_, _, row) = of_csv(cleo, f"report=general_ledger&from=2026-01-01&projectId={kept}")
    assert [row[5], row[7]] == ["'@Rent", "'=Villa"]


@on_sqlite
@pytest.mark.parametrize(
    ("query", "name"),
    [
        ("format=csv", "report"),
        ("report=hub&format=csv", "report"),
        ("report=trial_balance&format=pdf", "format"),
        ("report=trial_balance&format=csv&accountId=1", "accountId"),
        ("report=aged_payables&format=csv&months=true", "months"),
        ("report=general_ledger&format=csv&months=true", "months"),
        ("report=cash_flow&format=csv&projectId=1", "projectId"),
        ("report=register&format=csv", "accountId"),
        ("report=general_ledger&format=csv&groupBy=colour", "groupBy"),
        ("report=profit_and_loss&format=xlsx&projectId=999", "projectId"),
    ],
)
def test_a_file_that_there_is_not_is_refused_by_name(cleo, query, name):
    answer = cleo.get(f"{PATH}?{query}")
    assert (answer.status_code, list(answer.json["fields"])) == (422, [name])


@on_sqlite
@pytest.mark.parametrize("report", [*STATEMENTS, GENERAL_LEDGER, *OTHERS])
def test_each_report_has_a_button_that_prints_it_where_there_are_scripts(cleo, kept, report):
    page = cleo.browser().get(f"/reports/{report.replace('_', '-')}?{DAYS}").text
    assert '<button class="button with-script" type="button" data-print>' in page


def test_pages_lead_to_the_files_of_what_they_show(cleo, kept):
    browser = cleo.browser()
    page = browser.get(f"/reports/profit-and-loss?{DAYS}&months=true&groupBy=project&projectId={kept}").text
    (link,) = [
        part.split('"')[0]
        for part in page.split('href="')
        if part.startswith(f"{PATH}?") and "xlsx" in part.split('"')[0]
    ]
    answer = browser.get(link.replace("&amp;", "&"))
    assert answer.status_code == 200
    assert answer.headers["Content-Disposition"] == "attachment; filename=profit-and-loss-2026-02-28.xlsx"
    book = Workbook(Archive(answer.data))
    (_, heads), *_ = book.sheet(book.sheets[0]).rows
    assert heads[3:] == [
        "Project",
        "2026-01-01 to 2026-02-28",
        "2025-01-01 to 2025-02-28",
        "2026-01-01 to 2026-01-31",
        "2026-02-01 to 2026-02-28",
    ]
