"""Reports of one project, group or merchant, and reports grouped by these."""

import pytest

from tests.api.reports.test_report_columns import asked
from tests.fixtures.helpers.marks import on_sqlite

pytestmark = pytest.mark.both

REPORTS = "/api/reports"
KEYS = {"trial-balance": "trialBalance", "profit-and-loss": "profitAndLoss", "balance-sheet": "balanceSheet"}
YEAR = "from=2026-01-01&to=2026-12-31&compareWith=previous_year"


@pytest.fixture
def named(ada, books):
    """Two projects of a group, one without, a merchant; sales and rents of theirs in 2025 and 2026."""
    books.post("account Bank ASSET\n")
    group = ada.post("/api/projects/groups", json={"name": "Houses"}).json["group"]["id"]
    found = {"Houses": group}
    for name, of in (("Villa", group), ("Barn", group), ("Boat", None)):
        found[name] = ada.post("/api/projects", json={"name": name, "groupId": of}).json["project"]["id"]
    found["Smith"] = ada.post("/api/merchants", json={"name": "Smith"}).json["merchant"]["id"]
    bank, sales, rent = (books.account_id(name) for name in ("Bank", "Sales of services", "Rent"))

    def post(day, account, amount, project, merchant=None):
        legs = [
            {"accountId": bank, "amount": amount.removeprefix("-") if amount[0] == "-" else f"-{amount}"},
            {
                "accountId": account,
                "amount": amount,
                "projectId": found.get(project),
                "orgMerchantId": found.get(merchant),
            },
        ]
        body = {"effectiveAt": f"{day}T00:00:00Z", "description": "An entry", "postings": legs, "post": True}
        answer = ada.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json

    post("2025-03-01", sales, "-1000.00", "Villa", "Smith")
    post("2026-01-10", sales, "-500.00", "Villa", "Smith")
    post("2026-02-10", sales, "-70.00", "Boat")
    post("2026-02-11", rent, "200.00", "Barn", "Smith")
    post("2026-03-01", rent, "30.00", None)
    return found


def amounts(report):
    return {line["name"]: (line["amount"], line["before"]) for line in report["lines"]}


def parts(figures):
    return [(part["name"], part["amount"], part["before"]) for part in figures["parts"]]


def test_a_report_counts_only_what_is_selected(cleo, named):
    villa = asked(cleo, "profit-and-loss", f"{YEAR}&projectId={named['Villa']}")
    assert amounts(villa) == {"Sales of services": ("-500.00", "-1000.00")}
    assert (villa["result"]["amount"], villa["projectId"], villa["groupBy"]) == (
        "500.00",
        named["Villa"],
        None,
    )
    houses = asked(cleo, "profit-and-loss", f"{YEAR}&projectGroupId={named['Houses']}")
    assert amounts(houses) == {"Sales of services": ("-500.00", "-1000.00"), "Rent": ("200.00", "0.00")}
    barn = asked(cleo, "profit-and-loss", f"{YEAR}&projectId={named['Barn']}&orgMerchantId={named['Smith']}")
    assert amounts(barn) == {"Rent": ("200.00", "0.00")}
    sheet = asked(cleo, "balance-sheet", f"{YEAR}&projectId={named['Villa']}")
    assert amounts(sheet) == {"Retained earnings": ("-1000.00", "0.00")}
    assert (sheet["resultOfYear"]["amount"], sheet["earlierResults"]["amount"]) == ("-500.00", "-1000.00")
    trial = asked(cleo, "trial-balance", f"from=2025-01-01&to=2026-12-31&projectId={named['Villa']}")
    assert [
        [line[name] for name in ("name", "opening", "change", "carry", "closing")] for line in trial["lines"]
    ] == [
        ["Retained earnings", "0.00", "0.00", "-1000.00", "-1000.00"],
        ["Sales of services", "0.00", "-1500.00", "1000.00", "-500.00"],
    ]


def test_a_report_has_parts_that_add_up_to_its_figures(cleo, named):
    result = asked(cleo, "profit-and-loss", f"{YEAR}&groupBy=project")
    lines = {line["name"]: parts(line) for line in result["lines"]}
    assert lines == {
        "Sales of services": [("Boat", "-70.00", "0.00"), ("Villa", "-500.00", "-1000.00")],
        "Rent": [("Barn", "200.00", "0.00"), (None, "30.00", "0.00")],
    }
    assert parts(result["result"]) == [
        ("Barn", "-200.00", "0.00"),
        ("Boat", "70.00", "0.00"),
        ("Villa", "500.00", "1000.00"),
        (None, "-30.00", "0.00"),
    ]
    result = asked(cleo, "profit-and-loss", f"{YEAR}&groupBy=project_group")
    assert parts(result["result"]) == [("Houses", "300.00", "1000.00"), (None, "40.00", "0.00")]
    of_smith = f"{YEAR}&groupBy=merchant&projectGroupId={named['Houses']}"
    result = asked(cleo, "profit-and-loss", of_smith)
    assert parts(result["result"]) == [("Smith", "300.00", "1000.00")]
    sheet = asked(cleo, "balance-sheet", f"{YEAR}&groupBy=project")
    assert parts(sheet["assets"]) == [(None, "1340.00", "1000.00")]
    assert parts(sheet["earlierResults"]) == [("Villa", "-1000.00", "0.00")]
    assert parts(sheet["equity"]) == [("Villa", "-1000.00", "0.00")]


def test_months_of_parts_stand_side_by_side(cleo, named):
    query = "from=2026-01-01&to=2026-02-28&months=true&compareWith=none&groupBy=merchant"
    result = asked(cleo, "profit-and-loss", query)["result"]
    assert result["months"] == ["500.00", "-130.00"]
    assert [(each["name"], each["months"]) for each in result["parts"]] == [
        ("Smith", ["500.00", "-200.00"]),
        (None, ["0.00", "70.00"]),
    ]


def test_the_ledger_runs_over_what_is_selected(cleo, named):
    query = f"{REPORTS}/general-ledger?from=2025-06-01&to=2026-12-31&projectId={named['Villa']}"
    expected = [
        ("Retained earnings", "carry", "-1000.00", "-1000.00", None),
        ("Sales of services", "carry", "1000.00", "0.00", None),
        ("Sales of services", "manual", "-500.00", "-500.00", named["Smith"]),
    ]
    for limit in (1, 2, 200):
        lines, cursor = [], ""
        while cursor is not None:
            page = cleo.get(f"{query}&limit={limit}{cursor}").json
            lines += page["lines"]
            cursor = page["nextCursor"] and f"&cursor={page['nextCursor']}"
        names = ("accountName", "source", "amountBase", "balanceBase", "orgMerchantId")
        assert [tuple(line[name] for name in names) for line in lines] == expected
    assert cleo.get(f"{query}&count=true").json["total"] == len(expected)
    (line,) = cleo.get(
        f"{REPORTS}/general-ledger?from=2026-01-01&orgMerchantId={named['Smith']}&limit=1"
    ).json["lines"]
    assert line["projectId"] == named["Villa"]


def walked(person, query, limit):
    lines, cursor = [], ""
    while cursor is not None:
        page = person.get(f"{REPORTS}/general-ledger?{query}&limit={limit}{cursor}").json
        lines += page["lines"]
        cursor = page["nextCursor"] and f"&cursor={page['nextCursor']}"
    return lines


def test_the_ledger_runs_over_each_part(cleo, named, books):
    sales = books.account_id("Sales of services")
    query = f"from=2025-06-01&to=2026-12-31&accountId={sales}"
    by_project = [
        ("Boat", "manual", "-70.00", "-70.00"),
        ("Villa", "forward", "0.00", "-1000.00"),
        ("Villa", "carry", "1000.00", "0.00"),
        ("Villa", "manual", "-500.00", "-500.00"),
    ]
    by_group = [
        ("Houses", "forward", "0.00", "-1000.00"),
        ("Houses", "carry", "1000.00", "0.00"),
        ("Houses", "manual", "-500.00", "-500.00"),
        (None, "manual", "-70.00", "-70.00"),
    ]
    by_merchant = [("Smith", *line[1:]) for line in by_group[:3]] + by_group[3:]
    for by, expected in (("project", by_project), ("project_group", by_group), ("merchant", by_merchant)):
        for limit in (1, 2, 3, 200):
            lines = walked(cleo, f"{query}&groupBy={by}", limit)
            assert [
                (line["part"]["name"], line["source"], line["amountBase"], line["balanceBase"])
                for line in lines
            ] == expected
        answer = cleo.get(f"{REPORTS}/general-ledger?{query}&groupBy={by}&count=true").json
        assert answer["total"] == len(expected)
    assert {line["part"] for line in walked(cleo, query, 2)} == {None}
    (villa,) = {
        line["part"]["id"] for line in lines_of_part(walked(cleo, f"{query}&groupBy=project", 9), "Villa")
    }
    assert villa == named["Villa"]


def lines_of_part(lines, name):
    return [line for line in lines if line["part"]["name"] == name]


def test_a_part_shows_what_it_brought_forward_though_it_did_not_move(cleo, named, books):
    """The villa's sales of 2026 stand on the account while only the boat's move, so that the parts add up."""
    query = f"from=2026-02-01&to=2026-02-28&accountId={books.account_id('Sales of services')}&groupBy=project"
    assert [
        (line["part"]["name"], line["amountBase"], line["balanceBase"]) for line in walked(cleo, query, 1)
    ] == [("Boat", "-70.00", "-70.00"), ("Villa", "0.00", "-500.00")]


def test_a_cursor_of_another_grouping_is_refused(cleo, named):
    query = f"{REPORTS}/general-ledger?from=2025-01-01&to=2026-12-31&limit=1"
    cursor = cleo.get(query).json["nextCursor"]
    assert cleo.get(f"{query}&groupBy=project&cursor={cursor}").json["code"] == "validation"


def test_parts_of_a_trial_balance_open_move_and_close(cleo, named):
    trial = asked(cleo, "trial-balance", "from=2026-02-01&to=2026-12-31&compareWith=none&groupBy=project")
    (sales,) = [line for line in trial["lines"] if line["name"] == "Sales of services"]
    names = ("name", "opening", "change", "carry", "closing", "debit", "credit")
    assert [[part[name] for name in names] for part in sales["parts"]] == [
        ["Boat", "0.00", "-70.00", "0.00", "-70.00", None, "70.00"],
        ["Villa", "-500.00", "0.00", "0.00", "-500.00", None, "500.00"],
    ]


def test_grouped_reports_send_a_fixed_number_of_statements(cleo, named, at_most):
    with at_most(13):
        asked(cleo, "profit-and-loss", f"{YEAR}&groupBy=project&months=true&projectGroupId={named['Houses']}")


@on_sqlite
def test_what_is_not_there_is_refused(cleo, named):
    for report in (*KEYS, "general-ledger"):
        for name in ("projectId", "projectGroupId", "orgMerchantId"):
            answer = cleo.get(f"{REPORTS}/{report}?{name}=999")
            assert (answer.status_code, answer.json["code"]) == (422, "unknown_reference")
            assert list(answer.json["fields"]) == [name]
    assert cleo.get(f"{REPORTS}/profit-and-loss?groupBy=colour").status_code == 422


def test_pages_filter_and_group(cleo, named):
    browser = cleo.browser()
    page = " ".join(browser.get(f"/reports/profit-and-loss?{YEAR}&projectId={named['Villa']}").text.split())
    assert "Only what is posted to Villa." in page
    assert f'<option value="{named["Villa"]}" selected>' in page
    page = " ".join(browser.get(f"/reports/profit-and-loss?{YEAR}&groupBy=project").text.split())
    assert "projectId=" + str(named["Barn"]) in page
    assert 'class="part"' in page
    sheet = browser.get(f"/reports/balance-sheet?{YEAR}&projectId={named['Villa']}&groupBy=merchant").text
    assert "total ties" not in sheet
    assert "Smith" in browser.get(f"/reports/trial-balance?{YEAR}&groupBy=merchant&months=true").text
    ledger = browser.get(
        f"/reports/general-ledger?from=2026-01-01&to=2026-12-31&orgMerchantId={named['Smith']}"
    ).text
    assert "Only what is posted to Smith." in ledger
    grouped = browser.get("/reports/general-ledger?from=2026-02-01&to=2026-12-31&groupBy=project").text
    parts_shown = grouped.split('<tr class="group part">')[1:]
    heads = [" ".join(each.partition("</th>")[0].split()).partition(">")[2] for each in parts_shown]
    assert [head.partition(" <span")[0] for head in heads] == ["Boat", "Villa", "Barn", "None", "None"]
    assert grouped.count('<tr class="group">') == 3
    part = " ".join(parts_shown)
    assert part.index("Boat") < part.index("Villa")
    assert 'value="-500.00"' in part
    assert '<option value="project" selected>' in grouped
    assert browser.get("/reports/profit-and-loss?projectId=999").status_code == 422
