"""What third parties are paid with an invoice (the extension of XRechnung) is due, shown, and in the entry."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, read, sent

pytestmark = pytest.mark.usefixtures("sound")

EXTENSION = "urn:cen.eu:en16931:2017#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"
PAID = (
    b'<cac:PrepaidPayment><cbc:ID>1</cbc:ID><cbc:PaidAmount currencyID="EUR">%s</cbc:PaidAmount>'
    b"<cbc:InstructionID>Parking</cbc:InstructionID></cac:PrepaidPayment>"
)


def extended(*paid, due, **changes):
    """An invoice over 172.50 with what third parties are paid with it."""
    data = invoices.ubl(due=due, **changes).replace(b"urn:cen.eu:en16931:2017", EXTENSION.encode(), 1)
    parts = b"".join(PAID % each.encode() for each in paid)
    return data.replace(b"<cac:TaxTotal>", parts + b"<cac:TaxTotal>", 1)


@pytest.fixture
def bill(ben, bank):
    answer = sent(ben, extended("12.40", "5.10", due="190.00"), "invoice.xml")
    assert answer.status_code == 201, answer.json
    return read(ben, answer.json["document"])


def legs(answer):
    assert answer.status_code == 201, answer.json
    return [(each["accountName"], each["amount"]) for each in answer.json["entry"]["postings"]]


def test_it_is_in_the_entry_on_the_account_of_the_net_or_a_chosen_one(ben, bank, bill):
    assert (bill["findings"], bill["due"]) == ([], "190.00")
    assert bill["invoice"]["totals"]["thirdParty"] == "17.50"
    shown = ben.get(f"{DOCUMENTS}/{bill['id']}/booking").json["booking"]["postings"]
    assert [(each["kind"], each["amount"]) for each in shown][-2:] == [
        ("THIRD_PARTY", "17.50"),
        ("OWED", "-190.00"),
    ]
    address, paper, parking = (
        f"{DOCUMENTS}/{bill['id']}/entry",
        bank.account("Paper"),
        bank.account("Parking"),
    )
    chosen = {"accountId": paper, "thirdPartyAccountId": parking}
    assert legs(ben.post(address, json=chosen))[-2:] == [("Parking", "17.50"), ("Trade payables", "-190.00")]


def test_a_person_sees_it_on_the_invoice_and_on_the_form_of_its_entry(ben, bill):
    browser = ben.browser()
    page = browser.get(f"/documents/{bill['id']}").text
    assert "For third parties" in page
    assert "17.50" in page
    form = browser.get(f"/journal/new?documentId={bill['id']}").text
    assert 'value="17.50"' in form
    assert 'value="190.00"' in form


def test_the_line_that_pays_it_is_split_with_it(ben, bank, bill, chart):
    line = bank.send("2026-03-16", "-190.00", "Paper Shop RE-4711")
    body = {"documentId": bill["id"], "accountId": bank.account("Paper")}
    answer = ben.post(f"/api/transactions/{line}/splits", json=body)
    assert answer.status_code == 200, answer.json
    splits = ben.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    assert [each["amount"] for each in splits] == ["-100.00", "-50.00", "-22.50", "-17.50"]


def test_of_our_own_invoice_it_is_owed_to_them(ben, bank):
    answer = sent(ben, extended("30.00", due="202.50"), "invoice.xml", documentType="INVOICE")
    document = read(ben, answer.json["document"])
    assert document["documentType"] == "INVOICE"
    entry = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": bank.account("Sales")})
    assert legs(entry)[-2:] == [("Trade payables", "-30.00"), ("Trade receivables", "202.50")]


def test_it_is_due_beside_what_was_prepaid(ben, bank):
    answer = sent(ben, extended("30.00", prepaid="72.50", due="130.00"), "invoice.xml")
    document = read(ben, answer.json["document"])
    assert document["findings"] == []
    entry = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": bank.account("Paper")})
    assert legs(entry)[-2:] == [("Paper", "30.00"), ("Trade payables", "-202.50")]


def test_without_the_extension_it_is_no_rounding(ben, bank):
    document = read(ben, sent(ben, invoices.ubl(due="202.50"), "invoice.xml").json["document"])
    assert [each["code"] for each in document["findings"]] == ["BR-CO-16"]
    refused = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": bank.account("Paper")})
    assert (refused.status_code, refused.json["code"]) == (422, "not_in_parts")
