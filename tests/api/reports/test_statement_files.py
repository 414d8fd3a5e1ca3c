"""The statement of a party as a file, with both addresses; and registers of accounts in several currencies."""

import csv
import io
from zipfile import ZipFile

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, sent
from tests.fixtures.helpers.owed import items, keep_items, keep_no_items, owe, settle

pytestmark = pytest.mark.usefixtures("sound")
ASKED = {"report": "party_statement", "from": "2026-03-01", "to": "2026-03-31"}


@pytest.fixture
def shop(ben, books, bank):
    """A supplier with an e-invoice, and what moved with it in two currencies."""
    bank.quote("2026-03-01", "USD", "1.10")
    party = bank.merchant("Paper Shop")
    document = sent(ben, invoices.ubl(seller="Paper Shop"), "invoice.xml").json["document"]
    ben.patch(f"{DOCUMENTS}/{document['id']}", json={"orgMerchantId": party})
    owe(ben, books, "-80.00", party, account="Trade payables", day="2026-02-10", reference="B-1")
    owe(ben, books, "-172.50", party, account="Trade payables", day="2026-03-02", reference="B-2")
    owe(ben, books, "80.00", party, account="Trade payables", day="2026-03-09")
    owe(
        ben,
        books,
        "-55.00",
        party,
        account="Trade payables",
        day="2026-03-11",
        currency="USD",
        reference="B-3",
    )
    return party


def rows_of(person, **more):
    answer = person.get("/api/exports/report", query_string={**ASKED, "format": "csv", **more})
    assert answer.status_code == 200, answer.json
    return list(csv.DictReader(io.StringIO(answer.text.lstrip("\ufeff"), newline="")))


def test_the_statement_is_a_table_of_its_movements_and_open_items(ben, shop):
    rows = rows_of(ben, orgMerchantId=shop)
    told = [(row["Part"], row["Reference"], row["Currency"], row["Amount"], row["Balance"]) for row in rows]
    assert told[2:] == [
        ("Opening", "", "EUR", "", "-80.00"),
        ("Movement", "B-2", "EUR", "-172.50", "-252.50"),
        ("Movement", "", "EUR", "80.00", "-172.50"),
        ("Closing", "", "EUR", "", "-172.50"),
        ("Opening", "", "USD", "", "0.00"),
        ("Movement", "B-3", "USD", "-55.00", "-55.00"),
        ("Closing", "", "USD", "", "-55.00"),
        ("Open", "B-1", "EUR", "-80.00", "-80.00"),
        ("Open", "B-2", "EUR", "-172.50", "-172.50"),
        ("Open", "", "EUR", "80.00", "80.00"),
        ("Open", "B-3", "USD", "-55.00", "-55.00"),
    ]
    sender, recipient = (row["Description"] for row in rows[:2])
    assert "Mill Lane 4" in recipient
    assert recipient.startswith("Paper Shop, ")
    assert sender.startswith("Lantern")
    assert not any("settlement" in row["Description"].lower() for row in rows)


def test_it_is_a_workbook_and_of_no_party_too(ben, books, shop):
    owe(ben, books, "12.00", None, day="2026-03-04")
    assert [row["Amount"] for row in rows_of(ben) if row["Part"] == "Open"] == ["12.00"]
    file = ben.get("/api/exports/report", query_string={**ASKED, "format": "xlsx", "orgMerchantId": shop})
    assert "xl/worksheets/sheet1.xml" in ZipFile(io.BytesIO(file.data)).namelist()


def test_its_page_links_both_files_and_has_both_addresses(ben, shop):
    page = ben.browser().get(f"/owed/statement?orgMerchantId={shop}&from=2026-03-01&to=2026-03-31").text
    assert page.count("report=party_statement") == 2
    assert "Mill Lane 4" in page


@pytest.mark.parametrize("more", [{"months": "true"}, {"accountId": "1"}, {"groupBy": "MERCHANT"}], ids=str)
def test_what_other_reports_take_is_refused(ben, more):
    answer = ben.get("/api/exports/report", query_string={**ASKED, "format": "csv", **more})
    assert answer.status_code == 422
    assert list(answer.json["fields"]) == list(more)


def test_a_register_in_several_currencies_has_the_base_beside_and_numbers(ben, books, shop):
    payables = books.account_id("Trade payables")
    for address in (
        f"/accounts/{payables}/register",
        "/reports/general-ledger?from=2026-03-01&to=2026-03-31",
    ):
        page = ben.browser().get(address).text
        assert "55.00" in page
        assert "50.00" in page
        assert ">Number<" in page
        assert ">Entry<" not in page


def test_what_is_overdue_is_expected_in_and_out(ben, books, shop):
    owe(ben, books, "40.00", shop, day="2026-03-01")
    settle(
        ben,
        *(each for each in items(ben) if each["reference"] == "B-1"),
        *[(each, "80.00") for each in items(ben) if each["amount"] == "80.00"],
    )
    found = ben.get("/api/reports/expected-cash?asOf=2026-03-31").json["expectedCash"]
    assert (found["overdueIncoming"], found["overdueOutgoing"]) == ("40.00", "-222.50")
    assert found["overdue"] == "-182.50"


def test_what_has_no_due_day_is_expected_in_and_out(ada, books):
    keep_no_items(ada)
    for account, amount in (("Trade receivables", "40.00"), ("Trade payables", "-222.50")):
        owe(ada, books, amount, account=account, day="2026-02-10")
        keep_items(ada, books.account_id(account), "2026-03-01")
    found = ada.get("/api/reports/expected-cash?asOf=2026-03-31").json["expectedCash"]
    names = ("undatedIncoming", "undatedOutgoing", "undated", "overdue")
    assert [found[name] for name in names] == ["40.00", "-222.50", "-182.50", "0.00"]
    page = ada.browser().get("/owed?asOf=2026-03-31").text
    row = page.partition("Without a due day")[2].partition("</tr>")[0]
    assert [each in row for each in ("40.00", "222.50", "182.50")] == [True] * 3
