"""An e-invoice is read where it is filed: its fields, its lines and its findings; nothing of it is altered."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, changed, read, sent

pytestmark = pytest.mark.usefixtures("sound")


def filed(person, data, name="invoice.xml", **form):
    answer = sent(person, data, name, **form)
    assert answer.status_code == 201, answer.json
    return read(person, answer.json["document"])


def test_an_invoice_in_xml_is_read_at_once(ben, bank):
    document = filed(ben, invoices.ubl(prepaid="72.50", due="100.00"))

    own = (
        "documentType",
        "number",
        "sender",
        "buyer",
        "issuedOn",
        "dueOn",
        "currency",
        "net",
        "tax",
        "total",
    )
    assert [document[name] for name in own] == [
        "BILL",
        "RE-4711",
        "Paper Shop Ltd",
        "Ada Studio",
        "2026-03-02",
        "2026-03-16",
        "EUR",
        "150.00",
        "22.50",
        "172.50",
    ]
    due = ("prepaid", "due", "iban", "remittance", "sellerVatId")
    assert [document[name] for name in due] == [
        "72.50",
        "100.00",
        "DE02120300000000202051",
        "RE-4711",
        "DE123456789",
    ]
    assert document["findings"] == []
    invoice = document["invoice"]
    assert [(row["rate"], row["base"], row["tax"]) for row in invoice["vat"]] == [
        ("19", "100.00", "19.00"),
        ("7", "50.00", "3.50"),
    ]
    assert [line["name"] for line in invoice["lines"]] == ["Paper A4", "Guide to ledgers"]
    assert invoice["seller"]["address"] == ["Mill Lane 4", "10115 Berlin"]


def test_an_invoice_within_a_pdf_is_read_and_the_pdf_stays_as_it_is(ben, bank):
    data = invoices.pdf({"factur-x.xml": invoices.cii()})
    document = filed(ben, data, "invoice.pdf")

    assert (document["total"], document["invoice"]["syntax"]) == ("119.00", "CII")
    assert ben.get(f"{DOCUMENTS}/{document['id']}/file").data == data


def test_what_does_not_add_up_is_told_and_stays_as_it_is_stated(ben, bank):
    document = filed(ben, invoices.ubl(due="100.00"))

    assert [each["code"] for each in document["findings"]] == ["BR-CO-16"]
    assert (document["due"], document["invoice"]["totals"]["due"]) == ("100.00", "100.00")
    page = ben.browser().get(f"/documents/{document['id']}").text
    assert "The amount due is stated as 100.00" in page
    assert "Guide to ledgers" in page


def test_a_gross_that_differs_is_said_once_as_long_as_it_is_the_stated_one(ben, bank):
    document = filed(ben, invoices.ubl(gross="172.51", due="172.51"))
    assert [each["code"] for each in document["findings"]] == ["BR-CO-15"]
    changed(ben, document, total="180.00")
    assert [each["code"] for each in read(ben, document)["findings"]] == ["BR-CO-15", "total_differs"]


def test_a_figure_that_the_currency_cannot_hold_is_shown_and_not_booked(ben, bank):
    document = filed(ben, invoices.cii(gross="119.005", due="119.005"))

    assert document["total"] is None
    assert document["invoice"]["totals"]["gross"] == "119.005"
    assert "not_bookable" in [each["code"] for each in document["findings"]]


def test_a_credit_note_with_negative_totals_waits_for_a_person(ben, bank):
    document = filed(ben, invoices.cii(type_code="381", gross="-119.00", due="-119.00"))

    assert (document["documentType"], document["total"]) == ("CREDIT_NOTE", None)
    assert changed(ben, document, total="119.00")["total"] == "119.00"


def test_what_somebody_sends_beside_the_file_comes_first(ben, bank):
    document = filed(ben, invoices.ubl(), sender="Paper shop round the corner", total="170.00")

    assert (document["sender"], document["total"]) == ("Paper shop round the corner", "170.00")
    assert document["invoice"]["seller"]["name"] == "Paper Shop Ltd"


def test_a_pdf_that_cannot_be_read_is_kept_and_says_why(ben, bank):
    document = filed(ben, invoices.pdf({"factur-x.xml": invoices.cii()}, password="secret"), "locked.pdf")

    assert (document["invoice"], [each["code"] for each in document["findings"]]) == (None, ["unread"])


def test_a_rule_asks_what_an_invoice_states(ben, bank):
    merchant = ben.post("/api/merchants", json={"name": "Paper Shop"}).json["merchant"]["id"]
    asked = [
        ("SELLER_VAT_ID", "EQUALS", "DE 123456789"),
        ("NET", "LESS_THAN", "200"),
        ("BUYER", "CONTAINS", "ada"),
    ]
    asked += [("DUE_ON", "BETWEEN", "2026-03-01..2026-03-31"), ("VAT_RATE", "IS_EMPTY", "")]
    rule = {
        "name": "Paper",
        "target": "RECEIPT",
        "conditions": {
            "conditions": [dict(zip(("field", "operator", "value"), each, strict=True)) for each in asked]
        },
        "effects": [{"kind": "SET_MERCHANT", "orgMerchantId": merchant}],
    }
    made = ben.post("/api/automations/rules", json=rule)
    assert made.status_code == 201, made.json

    assert filed(ben, invoices.ubl())["orgMerchantId"] == merchant


def test_a_self_billed_invoice_of_the_same_number_and_sum_is_asked_about_and_not_merged(ben, bank):
    first = sent(ben, invoices.ubl(), name="invoice.xml").json["document"]
    other = invoices.ubl(type_code="389")
    asked = sent(ben, other, name="self-billed.xml")
    assert (asked.status_code, asked.json["code"]) == (409, "same_invoice")
    assert asked.json["details"] == {"documentId": first["id"]}
    separate = sent(ben, other, name="self-billed.xml", force="true", note="One is self-billed")
    assert separate.status_code == 201
    assert separate.json["document"]["id"] != first["id"]
    assert len(ben.get(DOCUMENTS).json["documents"]) == 2
