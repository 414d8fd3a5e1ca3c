"""The inbox: several files at once, each with what became of it; what waits is answered, and nothing is lost."""

import re
from html import unescape
from io import BytesIO

import pytest

from tests.api.imports.test_imports import MARCH, lines_of
from tests.fixtures import invoices
from tests.fixtures.bank_files.ofx_statements import bank_file
from tests.fixtures.helpers.documents import TABLE, WEB_PAGE, pdf
from tests.fixtures.helpers.replays import everything
from tests.pages.documents.test_invoice_tables import SALES

pytestmark = pytest.mark.usefixtures("sound")


def send(person, **files):
    parts = [(BytesIO(data), name.replace("__", ".")) for name, data in files.items()]
    return person.post("/inbox", data={"file": parts}, content_type="multipart/form-data")


def waiting(person):
    return person.get("/api/inbox").json["files"]


@pytest.fixture
def page(ben, bank):
    """Ben in his browser, with two bank accounts, so that a file without a number asks for one."""
    bank.open("Savings")
    return ben.browser()


def test_several_files_are_taken_at_once_and_each_says_what_became_of_it(ben, page, bank):
    answer = send(
        page, march__ofx=bank_file(*MARCH), invoice__xml=invoices.ubl(), meal__pdf=pdf(), bank__csv=TABLE
    )

    assert answer.status_code == 200
    words = answer.text
    assert "Results for 4 files" in words
    assert all(each in words for each in ("Imported: 3 new lines", "Filed as", "Needs your help"))
    assert len(everything(ben, "documents", "documents")) == 2
    assert len(lines_of(ben)) == 3
    assert [each["fileName"] for each in waiting(ben)] == ["bank.csv"]


def test_a_refused_file_waits_with_its_reason_and_is_not_lost(ben, page, bank):
    send(page, page__html=WEB_PAGE, meal__pdf=pdf())
    (kept,) = waiting(ben)
    assert (kept["fileName"], "web page" in kept["question"]) == ("page.html", True)
    assert ben.get(f"/api/inbox/{kept['id']}/file").data == WEB_PAGE
    assert len(everything(ben, "documents", "documents")) == 1


def test_the_hub_counts_the_files_that_wait(ben, page, bank):
    assert "files in the inbox" not in page.get("/").text
    send(page, bank__csv=TABLE, page__html=WEB_PAGE)
    assert "2 files in the inbox" in page.get("/").text


def rows(answer):
    """The rows of the history: each file with its result, without marks."""
    table = answer.text.partition('id="history"')[2].partition("</table>")[0]
    return [" ".join(re.sub("<[^>]*>", " ", each).split()) for each in table.split("<tr>")[2:]]


def test_one_history_has_what_was_given_on_every_tab(ben, page, bank):
    march = {"file": (BytesIO(bank_file(*MARCH)), "march.ofx")}
    assert page.post("/imports", data=march, content_type="multipart/form-data").status_code == 303
    bill = {"file": (BytesIO(pdf()), "bill.pdf"), "sender": "Nero", "number": "7"}
    assert page.post("/documents", data=bill, content_type="multipart/form-data").status_code == 303
    sales = {"file": (BytesIO(SALES), "sales.csv"), "documentType": "INVOICE"}
    assert page.post("/documents/tables", data=sales, content_type="multipart/form-data").status_code == 303
    send(page, invoice__xml=invoices.cii(), page__html=WEB_PAGE)
    send(page, invoice__pdf=invoices.pdf({"factur-x.xml": invoices.cii()}))
    whole = rows(page.get("/inbox"))
    told = {row.split()[0]: row for row in whole}
    assert set(told) == {"march.ofx", "bill.pdf", "sales.csv", "invoice.xml", "page.html", "invoice.pdf"}
    assert len(whole) == 6
    assert "Needs your help" in told["march.ofx"]
    assert told["bill.pdf"].endswith("Added as a document Nero 7")
    assert "Needs an answer" in told["page.html"]
    assert "Added to a document" in told["invoice.pdf"]
    tabs = ("/inbox", "/imports/new", "/documents/new", "/documents/tables")
    for address in tabs:
        shown = page.get(address).text
        assert all(f'href="{each}" {"aria-current" if each == address else ""}' in shown for each in tabs)


def test_the_history_is_read_a_page_at_a_time(page, bank):
    send(page, meal__pdf=pdf("1"), page__html=WEB_PAGE, bank__csv=TABLE)
    send(page, march__ofx=bank_file(*MARCH), taxi__pdf=pdf("2"))
    whole, address, read = rows(page.get("/inbox")), "/inbox?limit=2", []
    for _ in range(3):
        answer = page.get(address)
        read += rows(answer)
        older = re.search(r'href="([^"#]*before=[^"#]*)', answer.text)
        address = older and unescape(older[1]) + "&limit=2"
    assert (read, address, len(whole)) == (whole, None, 5)


def test_the_same_file_again_changes_nothing_and_says_where_it_is(ben, page, bank):
    for _ in range(2):
        answer = send(page, march__ofx=bank_file(*MARCH), meal__pdf=pdf(), bank__csv=TABLE)
    assert answer.text.count("It is there already") == answer.text.count("It was imported already") == 1
    assert len(everything(ben, "documents", "documents")) == 1
    assert len(waiting(ben)) == 1
    assert [each["status"] for each in ben.get("/api/feeds/imports").json["imports"]] == ["IMPORTED"]


def test_a_bank_file_that_waits_is_previewed_with_its_account_and_goes_when_it_is_imported(ben, page, bank):
    send(page, bank__csv=TABLE)
    (kept,) = waiting(ben)
    preview = page.post(f"/inbox/{kept['id']}/import", data={"faId": bank.fa_id})
    assert preview.status_code == 303
    assert [each["id"] for each in waiting(ben)] == [kept["id"]]
    import_id = int(preview.location.split("/imports/")[1].split("/")[0])
    assert page.post(f"/imports/{import_id}/commit").status_code == 303
    assert waiting(ben) == []
    assert {amount for _, amount, _ in lines_of(ben)} == {"-900.00", "-3.20"}


def test_a_file_of_a_second_bank_asks_for_its_account_and_the_next_month_of_the_first_does_not(ben):
    """That an account is the only one says nothing about a file that names neither account nor currency."""
    head = "Buchungstag;Empfänger;Betrag (EUR);Saldo (EUR)\n"
    october, november = (
        f"{head}0{day}.{month}.2026;Miete;-1200,00;{balance},00\n".encode()
        for day, month, balance in ((2, 10, 4000), (3, 11, 2800))
    )
    american = b"Details,Posting Date,Description,Amount,Balance\nDEBIT,10/13/2026,Office,-63.15,900.00\n"
    form = {"file": (BytesIO(october), "october.csv")}
    assert ben.post("/api/feeds/imports", data=form, content_type="multipart/form-data").status_code == 201
    send(ben.browser(), activity__csv=american, november__csv=november)
    assert [each["fileName"] for each in waiting(ben)] == ["activity.csv"]
    assert [day for day, _, _ in lines_of(ben)] == ["2026-10-02", "2026-11-03"]


def test_a_second_invoice_of_a_number_is_filed_with_a_note_or_deleted(ben, page, bank):
    send(page, invoice__xml=invoices.ubl())
    send(page, other__xml=invoices.ubl(gross="172.49"), third__xml=invoices.ubl(gross="172.48"))
    third, other = waiting(ben)
    refused = page.post(f"/inbox/{other['id']}/document", data={"force": "true", "note": ""})
    assert (refused.status_code, "Write a note" in refused.text) == (422, True)
    assert page.post(
        f"/inbox/{other['id']}/document", data={"force": "true", "note": "Corrected"}
    ).location.startswith("/documents/")
    assert page.post(f"/inbox/{third['id']}/delete").status_code == 303
    assert waiting(ben) == []
    assert len(everything(ben, "documents", "documents")) == 2
    assert ben.get(f"/api/inbox/{third['id']}/file").status_code == 404


def test_a_plain_text_in_columns_is_a_document_where_no_bank_wrote_it(ben, page, bank):
    send(page, receipt__txt=b"Coffee, large, 3.20\nCake, small, 4.00\n")
    (document,) = everything(ben, "documents", "documents")
    assert document["fileName"] == "receipt.txt"


def test_whoever_may_only_look_sees_no_form_and_sends_nothing(cleo, page, bank):
    send(page, bank__csv=TABLE)
    browser = cleo.browser()
    assert "Drop or paste" not in browser.get("/inbox").text
    assert send(browser, meal__pdf=pdf()).status_code == 403


def test_other_books_see_nothing_of_it(ben, page, dan, bank):
    send(page, bank__csv=TABLE)
    (kept,) = waiting(ben)
    assert waiting(dan) == []
    assert dan.get(f"/api/inbox/{kept['id']}/file").status_code == 404
