"""Customers in credit are liabilities on the balance sheet, and suppliers in debit assets: in each of its columns."""

import csv
import io
from decimal import Decimal

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe, settle

pytestmark = [pytest.mark.both, pytest.mark.usefixtures("sound")]
OWED, OWING = "Trade receivables", "Trade payables"
IN_CREDIT, IN_DEBIT = "Customers in credit", "Suppliers in debit"
SPAN = "from=2026-01-01&to=2026-03-31&compareFrom=2025-01-01&compareTo=2025-12-31&months=true"


@pytest.fixture
def merchants(ada, books):
    """Receivables and payables that keep items, two customers and a supplier, by name."""
    for name in (OWED, OWING):
        keep_items(ada, books.account_id(name))
    return {
        name: ada.post("/api/merchants", json={"name": name}).json["merchant"]["id"]
        for name in ("Halden", "Kranz", "Nordwind")
    }


def sheet(person, query="from=2026-01-01&to=2026-03-31"):
    answer = person.get(f"/api/reports/balance-sheet?{query}")
    assert answer.status_code == 200, answer.json
    report = answer.json["balanceSheet"]
    five = ("assets", "liabilities", "equity", "resultOfYear", "personalOfYear")
    assert sum(Decimal(report[name]["amount"]) for name in five) == 0
    return report


def amounts(report):
    return {line["name"]: line["amount"] for line in report["lines"]}


def test_a_customer_in_credit_is_owed_that_and_lessens_nobodys_debt(ada, books, merchants):
    owe(ada, books, "100.00", merchants["Halden"])
    owe(ada, books, "-30.00", merchants["Kranz"])
    report = sheet(ada)
    assert amounts(report) == {OWED: "100.00", IN_CREDIT: "-30.00"}
    (line,) = [each for each in report["lines"] if each["name"] == IN_CREDIT]
    assert (line["accountId"], line["code"], line["type"]) == (None, None, "LIABILITY")
    assert (report["assets"]["amount"], report["liabilities"]["amount"]) == ("100.00", "-30.00")


def test_a_supplier_in_debit_is_an_asset(ada, books, merchants):
    owe(ada, books, "-80.00", merchants["Nordwind"], account=OWING)
    owe(ada, books, "5.00", merchants["Kranz"], account=OWING)
    assert amounts(sheet(ada)) == {IN_DEBIT: "5.00", OWING: "-80.00"}


def test_all_that_a_party_has_on_one_side_counts_together(ada, books, merchants):
    other = ada.post("/api/accounts", json={"name": "Retentions", "type": "ASSET", "keepsItems": True})
    assert other.status_code == 201, other.json
    owe(ada, books, "-30.00", merchants["Halden"])
    owe(ada, books, "20.00", merchants["Halden"], account="Retentions")
    owe(ada, books, "7.00")
    assert amounts(sheet(ada)) == {OWED: "7.00", IN_CREDIT: "-10.00"}
    owe(ada, books, "10.00", merchants["Halden"])
    assert amounts(sheet(ada)) == {OWED: "-13.00", "Retentions": "20.00"}


def test_each_column_has_what_stood_so_at_its_close(ada, books, merchants):
    owe(ada, books, "-30.00", merchants["Halden"], day="2025-12-01")
    owe(ada, books, "50.00", merchants["Halden"], day="2026-02-01")
    lines = {line["name"]: line for line in sheet(ada, SPAN)["lines"]}
    credit, debt = lines[IN_CREDIT], lines[OWED]
    assert (credit["amount"], credit["before"], credit["months"]) == (
        "0.00",
        "-30.00",
        ["-30.00", "0.00", "0.00"],
    )
    assert (debt["amount"], debt["before"], debt["months"]) == ("20.00", "0.00", ["0.00", "20.00", "20.00"])


def test_what_is_settled_in_another_currency_stands_at_its_carrying_base(ada, books, merchants):
    for day, rate in (("2026-03-01", "1.10"), ("2026-03-10", "1.25")):
        quote = {"day": day, "currency": "USD", "unitsPerBase": rate}
        assert ada.put("/api/exchange-rates", json={"rates": [quote]}).status_code == 200
    owe(ada, books, "1100.00", merchants["Halden"], currency="USD")
    owe(ada, books, "-2000.00", merchants["Halden"], currency="USD", day="2026-03-10")
    payment, invoice = items(ada)
    settle(ada, (payment, "-1100.00"), invoice)
    # 2,000.00 USD at 1.25 are 1,600.00; what is left of them, 900.00 USD, is worth 720.00.
    assert amounts(sheet(ada))[IN_CREDIT] == "-720.00"
    assert amounts(sheet(ada, "from=2026-01-01&to=2026-03-09"))[OWED] == "1000.00"


def test_a_revaluation_stays_with_the_account_that_it_revalues(ada, books, merchants):
    for day, rate in (("2026-03-01", "1.10"), ("2026-03-31", "1.25")):
        quote = {"day": day, "currency": "USD", "unitsPerBase": rate}
        assert ada.put("/api/exchange-rates", json={"rates": [quote]}).status_code == 200
    owe(ada, books, "1100.00", merchants["Halden"], currency="USD")
    assert ada.post("/api/revaluations", json={"asOf": "2026-03-31"}).status_code in {200, 201}
    found = amounts(sheet(ada))
    assert (found[OWED], IN_CREDIT in found) == ("880.00", False)


def test_it_is_what_the_aged_report_has_of_parties_in_credit(ada, books, merchants):
    for party, amount in (("Halden", "-30.00"), ("Kranz", "-12.00"), ("Nordwind", "99.00"), (None, "-1.00")):
        owe(ada, books, amount, merchants[party] if party else None)
    parties = ada.get("/api/reports/aged-receivables?asOf=2026-03-31").json["agedReceivables"]["parties"]
    in_credit = sum(min(Decimal(each["totalBase"]), Decimal(0)) for each in parties)
    assert Decimal(amounts(sheet(ada))[IN_CREDIT]) == in_credit == Decimal(-43)


def test_merged_merchants_are_one_party(ada, books, merchants):
    owe(ada, books, "-30.00", merchants["Halden"])
    owe(ada, books, "50.00", merchants["Kranz"])
    merged = ada.post(
        f"/api/merchants/{merchants['Kranz']}/merge", json={"mergedIntoId": merchants["Halden"]}
    )
    assert merged.status_code == 200
    assert amounts(sheet(ada)) == {OWED: "20.00"}


def test_accounts_that_keep_no_items_stand_as_they_are(ada, books):
    halden = ada.post("/api/merchants", json={"name": "Halden"}).json["merchant"]["id"]
    ada.patch(f"/api/accounts/{books.account_id(OWED)}", json={"keepsItems": False})
    owe(ada, books, "-30.00", halden)
    assert amounts(sheet(ada)) == {OWED: "-30.00"}


@pytest.mark.parametrize("by", ["project", "merchant"])
def test_parts_add_up_and_are_what_each_shows_alone(ada, books, merchants, by):
    project = ada.post("/api/projects", json={"name": "House"}).json["project"]["id"]
    owe(ada, books, "-30.00", merchants["Halden"], projectId=project)
    owe(ada, books, "-5.00", merchants["Halden"])
    owe(ada, books, "60.00", merchants["Kranz"], projectId=project)
    (line,) = [each for each in sheet(ada, f"{SPAN}&groupBy={by}")["lines"] if each["name"] == IN_CREDIT]
    wanted = {"project": [("House", "-30.00"), (None, "-5.00")], "merchant": [("Halden", "-35.00")]}
    assert [(part["name"], part["amount"]) for part in line["parts"]] == wanted[by]
    alone = {"project": f"projectId={project}", "merchant": f"orgMerchantId={merchants['Halden']}"}
    found = amounts(ada.get(f"/api/reports/balance-sheet?{SPAN}&{alone[by]}").json["balanceSheet"])
    assert found[IN_CREDIT] == wanted[by][0][1]


def test_the_file_and_the_page_have_it_too(ada, books, merchants):
    owe(ada, books, "100.00", merchants["Halden"])
    owe(ada, books, "-30.00", merchants["Kranz"])
    owe(ada, books, "4.00", merchants["Nordwind"], account=OWING)
    query = "from=2026-01-01&to=2026-03-31"
    text = ada.get(f"/api/exports/report?report=balance_sheet&format=csv&{query}").text
    rows = {row[1]: row[3] for row in csv.reader(io.StringIO(text))}
    debts = rows["Total: Current liabilities"]
    assert (rows[IN_CREDIT], rows[IN_DEBIT], debts) == ("-30.00", "4.00", "-30.00")
    page = " ".join(ada.browser().get(f"/reports/balance-sheet?{query}").text.split())
    assert f">{IN_CREDIT}</a>" in page
    assert "/owed?side=RECEIVABLES&amp;asOf=2026-03-31" in page
    assert "/owed?side=PAYABLES&amp;asOf=2026-03-31" in page
