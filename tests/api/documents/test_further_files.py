"""The same invoice again: in other bytes it is one document with both files, under a used number it is asked about."""

from io import BytesIO

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, changed, filed, pdf, read, sent
from tests.fixtures.helpers.replays import everything

pytestmark = pytest.mark.usefixtures("sound")
BILL = {"sender": "Cloud host", "number": "R-1", "total": "119.00"}
WRONG = {"net": "100.00", "tax": "20.00", "total": "119.00", "currency": "EUR"}


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


def test_a_document_whose_net_and_tax_do_not_make_its_total_is_kept_with_a_finding(ben, bank):
    document = filed(ben, **WRONG)
    assert document["findings"] == [
        {
            "code": "total_differs",
            "message": (
                "Net 100.00 EUR and tax 20.00 EUR make 120.00 EUR, and the total is 119.00 EUR."
                " Compare them with the document."
            ),
        }
    ]
    (listed,) = ben.get(DOCUMENTS).json["documents"]
    assert listed["findings"] == document["findings"]
    assert "the total is 119.00" in ben.browser().get(f"/documents/{document['id']}").text
    assert changed(ben, document, tax="19.00")["findings"] == []


@pytest.mark.parametrize("missing", ["net", "tax", "total"])
def test_what_is_not_on_a_document_is_no_finding(ben, bank, missing):
    known = {name: value for name, value in WRONG.items() if name != missing}
    assert filed(ben, **known)["findings"] == []


def test_the_same_sender_and_number_with_another_file_is_asked_about(ben, bank):
    first = sent(ben, pdf("one"), **BILL).json["document"]
    again = {**BILL, "sender": "CLOUD HOST"}
    refused = sent(ben, pdf("two"), **again)
    assert (refused.status_code, refused.json["code"]) == (409, "same_invoice")
    assert refused.json["details"] == {"documentId": first["id"]}
    assert f"has sent number “R-1” before (document {first['id']}), over 119.00 EUR." in refused.json["error"]
    unexplained = sent(ben, pdf("two"), **again, force="true")
    assert (unexplained.status_code, list(unexplained.json["fields"])) == (422, ["note"])
    assert len(ben.get(DOCUMENTS).json["documents"]) == 1
    assert sent(ben, pdf("two"), **again, force="true", note="A corrected bill").status_code == 201
    act, *_ = ben.get("/api/action-requests?kind=create_document").json["actionRequests"]
    assert act["note"] == "A corrected bill"


def test_other_numbers_other_senders_and_other_organizations_are_not_asked_about(ben, dan, bank):
    filed(ben, **BILL)
    for person, fields in [
        (ben, {**BILL, "number": "R-2"}),
        (ben, {**BILL, "sender": "Phone company"}),
        (ben, {"number": "R-1"}),
        (ben, {"sender": "Cloud host"}),
        (dan, BILL),
    ]:
        assert person.post(DOCUMENTS, json=fields).status_code == 201


def test_a_document_that_gets_the_number_of_another_one_is_asked_about(ben, bank):
    first, second = filed(ben, **BILL), filed(ben, sender="Cloud host")
    refused = ben.patch(f"{DOCUMENTS}/{second['id']}", json={"number": "R-1"})
    assert (refused.status_code, refused.json["code"]) == (409, "same_invoice")
    assert refused.json["details"] == {"documentId": first["id"]}
    assert read(ben, second) == second
    assert changed(ben, second, number="R-1", force=True, note="Two parts")["number"] == "R-1"
    # Another field of either is no question any more.
    assert changed(ben, first, text="Paid")["text"] == "Paid"


def test_a_person_is_asked_on_the_page_and_may_insist(ben, bank):
    browser = ben.browser()
    first = filed(ben, **BILL)
    form = {"sender": "Cloud host", "number": "R-1"}
    refused = browser.post("/documents", data=form, content_type="multipart/form-data")
    assert refused.status_code == 409
    assert f'href="/documents/{first["id"]}"' in refused.text
    assert 'name="force"' in refused.text
    insisting = {**form, "force": "true", "note": "A copy for the tax office"}
    filed_too = browser.post("/documents", data=insisting, content_type="multipart/form-data")
    assert filed_too.status_code == 303
    second = filed(ben, sender="Cloud host")
    address = f"/documents/{second['id']}"
    asked = browser.post(address, data={"number": "R-1", "sender": "Cloud host"})
    assert asked.status_code == 409
    assert 'name="force"' in asked.text
    unexplained = browser.post(address, data={"number": "R-1", "sender": "Cloud host", "force": "true"})
    assert "Write a note on why both documents are needed." in unexplained.text
    saved = browser.post(
        address, data={"number": "R-1", "sender": "Cloud host", "force": "true", "note": "Two"}
    )
    assert saved.status_code == 303
