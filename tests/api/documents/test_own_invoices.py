"""Whose an invoice is: by the VAT ids of the organization where it has some, else by its name."""

from io import BytesIO

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import sent

OURS = "DE811111111"
SELF_BILLED = "389"


@pytest.fixture
def known(ada):
    form = {"name": "Lantern Studio", "timeZone": "UTC", "vatIds": OURS}
    assert ada.browser().post("/settings/organization", data=form).status_code == 303


def filed(person, data):
    answer = sent(person, data, "invoice.xml")
    assert answer.status_code == 201, answer.json
    return answer.json["document"]


def document(person, **facts):
    return filed(person, invoices.ubl(**facts))


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("facts", "kind"),
    [
        ({"seller": "Lantern Studio Ltd. and Co.", "seller_vat": "DE 811111111"}, "INVOICE"),
        ({"seller": "Lantern Studio", "seller_vat": "DE822222222"}, "BILL"),
        ({"seller": "Lantern Studio", "seller_vat": "FR40303265045"}, "INVOICE"),
        # Who buys wrote it, and it is the seller's all the same.
        ({"seller": "Lantern Studio GmbH", "seller_vat": OURS, "type_code": SELF_BILLED}, "INVOICE"),
        ({"seller": "Paper Ltd", "seller_vat": "DE822222222", "type_code": SELF_BILLED}, "BILL"),
    ],
)
def test_the_vat_id_of_the_seller_says_whose_an_invoice_is(ada, facts, kind):
    assert document(ada, **facts)["documentType"] == kind


def test_without_vat_ids_of_ours_the_name_says_it(ada):
    assert document(ada, seller="LANTERN STUDIO", seller_vat="DE822222222")["documentType"] == "INVOICE"


@pytest.mark.parametrize("seller", ["", "Paper Ltd"])
def test_what_we_wrote_for_a_supplier_is_a_bill(ada, seller):
    data = invoices.ubl(seller=seller, type_code=SELF_BILLED).replace(b"Ada Studio", b"Lantern Studio")
    assert filed(ada, data)["documentType"] == "BILL"


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize(
    ("facts", "side"),
    [
        ({"seller": "Another name", "seller_vat": OURS}, "SALE"),
        ({"seller": "Paper Ltd", "seller_vat": "DE822222222"}, None),
    ],
)
def test_the_side_of_a_credit_note_is_known_by_the_vat_id(ada, facts, side):
    assert document(ada, type_code="381", **facts)["side"] == side


@pytest.mark.usefixtures("known")
def test_rows_of_a_table_are_of_the_organization_by_its_vat_id(ada):
    data = b"No,Date,Customer,Total\nR-1,2026-03-05,Kunde AG,119.00\n"
    form = {"file": (BytesIO(data), "sales.csv"), "documentType": "INVOICE"}
    answer = ada.post("/api/documents/tables", data=form, content_type="multipart/form-data")
    assert answer.status_code == 201, answer.json
    (row,) = answer.json["table"]["rows"]
    seller = ada.get(f"/api/documents/{row['documentId']}").json["document"]["invoice"]["seller"]
    assert (seller["name"], seller["vatId"]) == ("Lantern Studio", OURS)
