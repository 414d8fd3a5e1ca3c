"""The same invoice in other bytes is one document with both files; what nobody wrote is read from the second one."""

from io import BytesIO

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, filed, pdf, read, sent
from tests.fixtures.helpers.replays import everything

pytestmark = pytest.mark.usefixtures("sound")


def added(person, document, data, name="invoice.xml"):
    form = {"file": (BytesIO(data), name)}
    return person.post(f"{DOCUMENTS}/{document['id']}/files", data=form, content_type="multipart/form-data")


def names(person, document):
    return [each["fileName"] for each in read(person, document)["furtherFiles"]]


def test_the_pages_and_the_xml_of_one_invoice_are_one_document(ben, bank):
    pages = invoices.pdf({"factur-x.xml": invoices.cii()})
    first = sent(ben, pages, "invoice.pdf")

    second = sent(ben, invoices.cii(), "invoice.xml")

    assert (first.status_code, second.status_code) == (201, 200)
    assert second.json["document"]["id"] == first.json["document"]["id"]
    (document,) = everything(ben, "documents", "documents")
    (further,) = document["furtherFiles"]
    assert (document["fileName"], further["fileName"], further["fileType"]) == (
        "invoice.pdf",
        "invoice.xml",
        "application/xml",
    )
    address = f"{DOCUMENTS}/{document['id']}/files/{further['sha256']}"
    assert ben.get(address).data == invoices.cii()
    assert sent(ben, invoices.cii(), "again.xml").json["details"] == {"documentId": document["id"]}


@pytest.mark.parametrize(
    "other",
    [{"number": "RE-4712"}, {"gross": "172.49"}, {"type_code": "381"}, {"seller_vat": "DE999999999"}],
    ids=str,
)
def test_another_number_amount_type_or_seller_is_another_document(ben, bank, other):
    sent(ben, invoices.ubl(), "invoice.xml")
    answer = sent(ben, invoices.ubl(**other), "invoice.xml")
    assert answer.status_code in (201, 409)
    assert not any(each["furtherFiles"] for each in everything(ben, "documents", "documents"))


def test_what_a_person_chose_beside_the_file_is_asked_about_and_not_lost(ben, bank):
    first = sent(ben, invoices.cii(), "invoice.xml").json["document"]
    pages = invoices.pdf({"factur-x.xml": invoices.cii()})
    refused = sent(ben, pages, "invoice.pdf", accountId=str(bank.account("Paper")))
    assert (refused.status_code, refused.json["code"]) == (409, "same_invoice")
    assert names(ben, first) == []


def test_a_file_that_can_be_read_fills_what_nobody_wrote(ben, bank):
    document = sent(ben, pdf("scan"), "scan.pdf", documentType="BILL", sender="Paper Shop of mine").json[
        "document"
    ]

    answer = added(ben, document, invoices.cii())

    assert answer.status_code == 201, answer.json
    found = read(ben, document)
    assert (found["sender"], found["number"], found["total"]) == ("Paper Shop of mine", "RE-4711", "119.00")
    assert (found["invoice"]["syntax"], found["fileName"]) == ("CII", "scan.pdf")
    assert names(ben, document) == ["invoice.xml"]


def test_a_further_file_is_deleted_with_what_was_only_read_of_it(ben, bank):
    document = filed(ben, documentType="BILL", sender="Paper Shop Ltd")
    digest = added(ben, document, invoices.cii()).json["document"]["furtherFiles"][0]["sha256"]
    address = f"{DOCUMENTS}/{document['id']}/files/{digest}"

    assert ben.delete(address).json["changed"] is True

    found = read(ben, document)
    assert (found["invoice"], found["iban"], found["furtherFiles"]) == (None, None, [])
    assert found["number"] == "RE-4711"
    assert ben.get(address).status_code == ben.delete(address).status_code == 404


def test_a_document_goes_with_all_of_its_files(ben, bank):
    document = sent(ben, pdf("one"), "one.pdf").json["document"]
    added(ben, document, pdf("two"), "two.pdf")
    assert ben.delete(f"{DOCUMENTS}/{document['id']}").status_code == 200
    assert sent(ben, pdf("two"), "two.pdf").status_code == 201


def test_the_page_adds_lists_and_deletes_files_and_shows_the_pages(ben, bank):
    document = sent(ben, invoices.cii(), "invoice.xml").json["document"]
    browser, page = ben.browser(), f"/documents/{document['id']}"

    browser.post(
        f"{page}/files", data={"file": (BytesIO(pdf()), "pages.pdf")}, content_type="multipart/form-data"
    )

    shown = browser.get(page).text
    assert "pages.pdf" in shown
    assert f'src="{page}/view"' in shown
    assert browser.get(f"{page}/view").mimetype == "application/pdf"
    (further,) = read(ben, document)["furtherFiles"]
    empty = browser.post(f"{page}/files", data={}, content_type="multipart/form-data")
    assert (empty.status_code, "Choose a file." in empty.text) == (422, True)
    browser.post(f"{page}/files/{further['sha256']}/delete")
    assert names(ben, document) == []
