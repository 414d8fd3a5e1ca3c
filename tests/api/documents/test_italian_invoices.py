"""Italian invoices are filed and booked as they state themselves: signed, several in a file, with what is withheld."""

from datetime import UTC, datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import pkcs7

from tests.fixtures.helpers.documents import DOCUMENTS, keep_waiting, read, sent
from tests.fixtures.invoices import italian, italian_body, italian_line, italian_payments, italian_row, pdf

pytestmark = pytest.mark.usefixtures("sound")

RITENUTA = (
    "<DatiRitenuta><TipoRitenuta>RT01</TipoRitenuta><ImportoRitenuta>20.00</ImportoRitenuta>"
    "<AliquotaRitenuta>20.00</AliquotaRitenuta><CausalePagamento>A</CausalePagamento></DatiRitenuta>"
)
WITHHELD = italian_body(
    general=RITENUTA,
    lines=italian_line(1, "Consulting", "100.00", more="<Ritenuta>SI</Ritenuta>"),
    rows=italian_row("100.00", "22.00"),
    total="<ImportoTotaleDocumento>122.00</ImportoTotaleDocumento>",
    payments=italian_payments(("102.00", "2026-04-30")),
)


def signed(data, encoding=serialization.Encoding.DER):
    """Sign a file as CAdES does, with what is signed within the signature."""
    key, day = ec.generate_private_key(ec.SECP256R1()), datetime(2026, 1, 1, tzinfo=UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Maria Rossi")])
    unsigned = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    dated = unsigned.not_valid_before(day).not_valid_after(day.replace(year=2027)).serial_number(7)
    builder = pkcs7.PKCS7SignatureBuilder().set_data(data)
    certificate = dated.sign(key, hashes.SHA256())
    return builder.add_signer(certificate, key, hashes.SHA256()).sign(encoding, [pkcs7.PKCS7Options.Binary])


def filed(person, data, name="IT01234567890_00001.xml"):
    answer = sent(person, data, name)
    assert answer.status_code == 201, answer.json
    return read(person, answer.json["document"])


def booked(person, document, **chosen):
    answer = person.post(f"{DOCUMENTS}/{document['id']}/entry", json=chosen)
    assert answer.status_code == 201, answer.json
    return [(each["accountName"], each["amount"]) for each in answer.json["entry"]["postings"]]


def test_an_italian_invoice_is_a_document_with_its_figures(ben, bank):
    document = filed(ben, italian())
    names = (
        "documentType",
        "number",
        "sender",
        "sellerVatId",
        "buyer",
        "net",
        "tax",
        "total",
        "due",
        "dueOn",
    )
    assert [document[name] for name in names] == [
        "BILL", "15/A", "Maria Rossi", "IT01234567890", "Ada Studio", "124.04", "22.96", "147.00", "147.00",
        "2026-04-30",
    ]  # fmt: skip
    assert (document["findings"], document["sameFileIds"]) == ([], [])
    assert document["invoice"]["syntax"] == "FATTURA_PA"
    page = ben.browser().get(f"/documents/{document['id']}").text
    assert "Data from the e-invoice. It is what gets booked." in page
    assert "22.00 %" in page


def test_what_is_withheld_is_owed_to_the_state_and_not_to_the_seller(ben, bank):
    document = filed(ben, italian(WITHHELD))
    assert (document["total"], document["due"]) == ("122.00", "102.00")
    assert document["invoice"]["totals"]["withheld"] == "20.00"
    page = ben.browser().get(f"/documents/{document['id']}").text
    assert "Withheld by the buyer: 20.00 (RT01, 20.00 %)." in page
    form = ben.browser().get(f"/journal/new?documentId={document['id']}").text
    assert 'value="20.00"' in form
    assert booked(ben, document, accountId=bank.account("Advice")) == [
        ("Advice", "100.00"),
        ("VAT receivable", "22.00"),
        ("Income tax payable", "-20.00"),
        ("Trade payables", "-102.00"),
    ]


def test_the_line_that_pays_what_is_due_is_split_with_what_is_withheld(ben, bank):
    document, line = filed(ben, italian(WITHHELD)), bank.send("2026-04-30", "-102.00", "Rossi 15/A")
    body = {"documentId": document["id"], "accountId": bank.account("Advice")}
    answer = ben.post(f"/api/transactions/{line}/splits", json=body)
    assert answer.status_code == 200, answer.json
    splits = ben.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    assert [each["amount"] for each in splits] == ["-100.00", "-22.00", "20.00"]


def test_instalments_are_items_of_their_own_days(ben, bank):
    parts = italian_payments(("47.00", "2026-04-30"), ("100.00", "2026-05-31"))
    document = filed(ben, italian(italian_body(payments=parts)))
    shown = ben.get(f"{DOCUMENTS}/{document['id']}/booking").json["booking"]["postings"]
    assert [each["amount"] for each in shown if each["kind"] == "OWED"] == ["-47.00", "-100.00"]
    legs = booked(ben, document, accountId=bank.account("Advice"))
    assert legs[-2:] == [("Trade payables", "-47.00"), ("Trade payables", "-100.00")]
    assert "47.00 by 2026-04-30" in ben.browser().get(f"/documents/{document['id']}").text


def test_tax_that_the_buyer_pays_to_the_state_leaves_the_net_owed(ben, bank):
    body = italian_body(
        lines=italian_line(1, "Paper", "100.00"),
        rows=italian_row("100.00", "22.00", exigible="S"),
        total="<ImportoTotaleDocumento>122.00</ImportoTotaleDocumento>",
        payments=italian_payments(("100.00", "2026-04-30")),
    )
    legs = booked(ben, filed(ben, italian(body)), accountId=bank.account("Paper"))
    assert legs == [
        ("Paper", "100.00"),
        ("VAT receivable", "22.00"),
        ("VAT payable", "-22.00"),
        ("Trade payables", "-100.00"),
    ]


def test_a_stamp_duty_beside_the_rows_is_a_cost_like_the_net(ben, bank):
    nature = "<Natura>N2.2</Natura>"
    body = italian_body(
        general="<DatiBollo><BolloVirtuale>SI</BolloVirtuale><ImportoBollo>2.00</ImportoBollo></DatiBollo>",
        lines=italian_line(1, "Advice", "100.00", "0.00", nature),
        rows=italian_row("100.00", "0.00", "0.00", nature),
        total="<ImportoTotaleDocumento>102.00</ImportoTotaleDocumento>",
        payments=italian_payments(("102.00", "2026-04-30")),
    )
    document = filed(ben, italian(body))
    assert document["findings"] == []
    legs = booked(ben, document, accountId=bank.account("Advice"))
    assert legs == [("Advice", "100.00"), ("Advice", "2.00"), ("Trade payables", "-102.00")]


def test_payments_that_contradict_the_total_are_said_and_booked_by_hand(ben, bank):
    body = italian_body(payments=italian_payments(("140.00", "2026-04-30")))
    document = filed(ben, italian(body))
    assert [each["code"] for each in document["findings"]] == ["SDI-DUE"]
    refused = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": bank.account("Advice")})
    assert (refused.status_code, refused.json["code"]) == (422, "not_in_parts")


def test_a_credit_note_is_one_by_its_type(ben, bank):
    assert filed(ben, italian(italian_body(type_code="TD04")))["documentType"] == "CREDIT_NOTE"


def test_what_a_buyer_writes_for_its_own_tax_is_no_bill(ben, bank):
    document = filed(ben, italian(italian_body(type_code="TD17")))
    assert (document["documentType"], [each["code"] for each in document["findings"]]) == (
        "OTHER",
        ["not_an_invoice"],
    )


@pytest.mark.parametrize("encoding", [serialization.Encoding.DER, serialization.Encoding.PEM])
def test_a_signed_invoice_is_unpacked_and_kept_as_it_came(ben, bank, encoding):
    data = signed(italian(), encoding)
    document = filed(ben, data, "IT01234567890_00001.xml.p7m")
    assert (document["number"], document["total"]) == ("15/A", "147.00")
    assert (document["fileType"], document["fileName"]) == (
        "application/pkcs7-mime",
        "IT01234567890_00001.xml.p7m",
    )
    assert ben.get(f"{DOCUMENTS}/{document['id']}/file").data == data


def test_a_signed_pdf_is_kept_and_its_invoice_read(ben, bank):
    document = filed(ben, signed(pdf({"factur-x.xml": italian()})), "bill.pdf.p7m")
    assert document["number"] == "15/A"


def test_each_invoice_of_a_file_becomes_a_document_of_that_file(ben, bank):
    data = italian(*[italian_body(number=f"{number}/A") for number in (15, 16, 17)])
    first = filed(ben, data)
    others = [read(ben, {"id": each}) for each in first["sameFileIds"]]
    assert [each["number"] for each in (first, *others)] == ["15/A", "16/A", "17/A"]
    assert {each["sha256"] for each in (first, *others)} == {first["sha256"]}
    assert ben.get(f"{DOCUMENTS}/{others[1]['id']}/file").data == data
    page = ben.browser().get(f"/documents/{others[0]['id']}").text
    assert "Invoice 2 of its file." in page
    assert (sent(ben, data).status_code, sent(ben, data).json["code"]) == (409, "already_there")


def test_a_file_stays_until_the_last_of_its_documents_is_deleted(ben, bank):
    data = italian(italian_body(number="15/A"), italian_body(number="16/A"))
    first = filed(ben, data)
    (second,) = first["sameFileIds"]
    assert ben.delete(f"{DOCUMENTS}/{first['id']}").status_code == 200
    assert ben.get(f"{DOCUMENTS}/{second}/file").data == data
    assert ben.delete(f"{DOCUMENTS}/{second}").status_code == 200
    assert filed(ben, data)["number"] == "15/A"


def test_invoices_of_a_file_that_are_there_are_not_filed_again(ben, bank):
    there = filed(ben, italian(italian_body(number="16/A")))
    data = italian(italian_body(number="16/A"), italian_body(number="17/A"))
    new = filed(ben, data, "batch.xml")
    assert (new["number"], new["sameFileIds"]) == ("17/A", [])
    whole = italian(italian_body(number="16/A"), italian_body(number="17/A")) + b"\n"
    again = sent(ben, whole, "batch again.xml")
    assert (again.status_code, again.json["document"]["id"]) == (200, there["id"])


def test_fields_with_several_invoices_are_refused_and_nothing_is_filed(ben, bank):
    data = italian(italian_body(number="15/A"), italian_body(number="16/A"))
    refused = sent(ben, data, total="10.00")
    assert (refused.status_code, refused.json["code"]) == (422, "several_invoices")
    assert ben.get(DOCUMENTS).json["documents"] == []


def test_the_inbox_files_each_invoice_of_a_file(ben, bank):
    data = italian(italian_body(number="15/A"), italian_body(number="16/A"))
    assert keep_waiting(ben, ("batch.xml", data), ("other.xml", italian(italian_body(number="9")))) == {}
    numbers = [each["number"] for each in ben.get(DOCUMENTS).json["documents"]]
    assert sorted(numbers) == ["15/A", "16/A", "9"]
