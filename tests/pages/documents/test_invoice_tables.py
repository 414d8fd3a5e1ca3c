"""The pages of a table of invoices: it waits in the inbox, its columns are told, and its rows are filed."""

from io import BytesIO

import pytest

from tests.fixtures.helpers.documents import DOCUMENTS, keep_waiting
from webapp.importers.invoice_tables.columns import COLUMNS
from webapp.pages.documents.tables import KINDS
from webapp.schemas.documents import tables

pytestmark = pytest.mark.usefixtures("sound")

SALES = b"""No,Date,Due date,Customer,Net,VAT,Total
R-1,2026-03-05,2026-04-04,Kunde AG,100.00,19.00,119.00
R-2,2026-03-06,2026-04-05,Harbour Bakery,50.00,9.50,59.50
"""
ODD = b"A;When;Who;Much\nX1;2026-03-05;Lumen;12,50\n"


def kept(person, data=SALES, name="sales.csv", kind="INVOICE"):
    """Send a table to its page; answers the page of its columns and its address."""
    pages = person.browser()
    form = {"file": (BytesIO(data), name), "documentType": kind}
    answer = pages.post("/documents/tables", data=form, content_type="multipart/form-data")
    assert answer.status_code == 303, answer.text
    address = answer.headers["Location"]
    return pages, address.partition("?")[0], pages.get(address)


def test_the_roles_have_one_list():
    assert tuple(COLUMNS) == tables.COLUMNS == tuple(KINDS)


def test_a_table_is_shown_as_it_is_read_and_filed_by_one_button(ben):
    pages, address, page = kept(ben)
    for words in ("R-1", "Harbour Bakery", "2 invoices, 2 new", "File 2 invoices", "119.00"):
        assert words in page.text
    assert ben.get(DOCUMENTS).json["documents"] == []

    done = pages.post(address, data={"act": "file", "documentType": "INVOICE"})

    assert done.status_code == 200
    assert "2 invoices filed" in done.text
    filed = ben.get(DOCUMENTS).json["documents"]
    assert sorted(each["number"] or each["fileName"] for each in filed) == ["R-1", "R-2", "sales.csv"]
    assert ben.get("/api/inbox").json["files"] == []
    assert pages.get(address).status_code == 404
    (invoice,) = [each for each in filed if each["number"] == "R-1"]
    shown = pages.get(f"/documents/{invoice['id']}").text
    assert "row 2 of" in shown
    assert "sales.csv" in shown


def test_a_table_that_was_filed_is_looked_at_again_and_has_nothing_to_file(ben):
    pages, address, _ = kept(ben)
    pages.post(address, data={"act": "file", "documentType": "INVOICE"})
    _, again, page = kept(ben)
    assert (again != address, page.status_code) == (True, 200)
    assert "Every invoice is filed already." in page.text
    assert ben.get("/api/inbox").json["files"] == []
    longer = kept(ben, SALES + b"R-3,2026-03-07,,Lumen,1.00,0.19,1.19\n")[2].text
    assert "3 invoices, 1 new" in longer
    assert "File 1 invoice<" in longer


def test_the_format_that_was_found_is_shown_though_it_is_none_of_the_usual(ben):
    page = kept(
        ben,
        SALES.replace(b"2026-03-05", b"5 Mar 2026")
        .replace(b"2026-03-06", b"6 Mar 2026")
        .replace(b"2026-04-04", b"4 Apr 2026")
        .replace(b"2026-04-05", b"5 Apr 2026"),
    )[2]
    assert "Found: 31 Dec 2026" in page.text


def test_columns_that_no_header_names_are_chosen_one_by_one(ben):
    pages, address, page = kept(ben, ODD, "odd.csv")
    assert "to go on." in page.text
    form = {"columns": ["number", "date", "party", "total"], "guess": ",,,", "documentType": "BILL"}
    looked = pages.htmx("POST", address, target="columns", data={**form, "act": "look"})
    assert "File 1 invoice<" in looked.text
    assert "<html" not in looked.text
    twice = pages.post(
        address, data={**form, "columns": ["number", "number", "party", "total"], "act": "look"}
    )
    assert (twice.status_code, "have the same role" in twice.text) == (422, True)
    done = pages.post(address, data={**form, "act": "file"})
    assert "1 invoice filed" in done.text
    (bill,) = [each for each in ben.get(DOCUMENTS).json["documents"] if each["documentType"] == "BILL"]
    assert (bill["sender"], bill["total"]) == ("Lumen", "12.50")


def test_what_is_there_already_is_said_and_a_number_used_before_asks_why(ben):
    pages, address, _ = kept(ben)
    pages.post(address, data={"act": "file"})
    changed = SALES.replace(b"50.00,9.50,59.50", b"60.00,11.40,71.40")
    pages, address, page = kept(ben, changed)
    assert "0 new, 1 already filed, 1 with a number used before" in page.text
    assert "Every invoice is filed already" in page.text
    forced = {"act": "file", "force": "true"}
    refused = pages.post(address, data=forced)
    assert (refused.status_code, "Write a note on why" in refused.text) == (422, True)
    done = pages.post(address, data={**forced, "note": "Corrected"})
    assert "1 invoice filed" in done.text


def test_entries_are_posted_by_whoever_may_confirm(ada, bank):
    accounts = {each["name"]: each["id"] for each in ada.get("/api/accounts?limit=200").json["accounts"]}
    pages, address, _ = kept(ada)
    page = pages.post(address, data={"act": "look", "entries": "POSTED"})
    assert "Income account" in page.text
    form = {"act": "file", "entries": "POSTED", "makeMerchants": "true"}
    done = pages.post(address, data={**form, "accountId": str(accounts["Sales of services"])})
    assert "2 invoices filed, 2 entries posted" in done.text
    owed = ada.get(f"/api/items?accountId={accounts['Trade receivables']}").json["items"]
    assert sorted(each["amount"] for each in owed) == ["119.00", "59.50"]


def test_a_row_that_does_not_read_is_shown_with_its_cell(ben):
    _, _, page = kept(ben, SALES.replace(b"119.00", b"a lot 1"))
    assert "Row 2, column 7" in page.text
    assert "is-wrong-cell" in page.text


def test_a_table_in_the_inbox_may_be_one_of_invoices(ben):
    waiting = keep_waiting(ben, ("list.csv", SALES.replace(b"Total", b"Sum of it")))
    pages = ben.browser()
    address = f"/documents/tables/{waiting['list.csv']}"
    assert address in pages.get("/inbox").text
    assert "Kunde AG" in pages.get(address).text


def test_without_a_file_the_form_says_so(ben):
    answer = ben.browser().post("/documents/tables", data={}, content_type="multipart/form-data")
    assert (answer.status_code, "Choose the table" in answer.text) == (422, True)


def test_who_may_only_look_files_nothing(ben, cleo):
    _, address, _ = kept(ben)
    page = cleo.browser().get(address)
    assert (page.status_code, "File 2 invoices" in page.text) == (200, False)
    assert cleo.browser().post(address, data={"act": "file"}).status_code == 403
