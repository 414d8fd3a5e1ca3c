"""A document that is booked is owed: its item has its side, its number and its due day, and less what was prepaid."""

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, filed, sent
from tests.fixtures.helpers.owed import items, owe
from tests.fixtures.helpers.transfers import confirm, send

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def paper(bank):
    return bank.account("Paper")


@pytest.fixture
def shop(bank):
    return bank.merchant("Paper Shop")


def booked(person, document, account_id, **body):
    answer = person.post(
        f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": account_id, "post": True, **body}
    )
    assert answer.status_code == 201, answer.json
    return answer.json["entry"]["id"]


def invoice(person, merchant, **stated):
    document = sent(person, invoices.ubl(**stated), "invoice.xml").json["document"]
    changed = person.patch(f"{DOCUMENTS}/{document['id']}", json={"orgMerchantId": merchant})
    assert changed.status_code == 200, changed.json
    return changed.json["document"]


def findings(person, document):
    read = person.get(f"{DOCUMENTS}/{document['id']}").json["document"]
    return [each["code"] for each in read["findings"]]


@pytest.mark.parametrize(
    ("kind", "side", "name", "amount"),
    [
        ("INVOICE", None, "Trade receivables", "119.00"),
        ("CREDIT_NOTE", "SALE", "Trade receivables", "-119.00"),
        ("BILL", None, "Trade payables", "-119.00"),
        ("CREDIT_NOTE", "PURCHASE", "Trade payables", "119.00"),
    ],
)
def test_each_kind_is_owed_on_its_side(ben, books, paper, shop, kind, side, name, amount):
    facts = {"side": side} if side else {}
    document = filed(
        ben,
        documentType=kind,
        number="RE-9",
        issuedOn="2026-03-02",
        dueOn="2026-03-16",
        total="119.00",
        orgMerchantId=shop,
        **facts,
    )
    booked(ben, document, paper)
    [item] = items(ben)
    assert (item["accountName"], item["amount"]) == (name, amount)
    assert (item["reference"], item["dueOn"], item["orgMerchantId"]) == ("RE-9", "2026-03-16", shop)


def test_whose_a_credit_note_is_is_asked(ben, paper, shop):
    document = filed(ben, documentType="CREDIT_NOTE", total="119.00", sender="Somebody", orgMerchantId=shop)
    refused = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": paper, "post": True})
    assert (refused.status_code, refused.json["code"]) == (422, "side_unknown")
    ben.patch(f"{DOCUMENTS}/{document['id']}", json={"side": "PURCHASE"})
    booked(ben, document, paper)
    assert items(ben)[0]["accountName"] == "Trade payables"


def test_what_was_prepaid_is_settled_as_it_is_booked(ben, books, paper, shop):
    owe(ben, books, "72.50", shop, account="Trade payables", day="2026-02-20")
    owe(ben, books, "10.00", shop, account="Trade payables", day="2026-02-21")
    document = invoice(ben, shop, prepaid="72.50", due="100.00")
    entry = booked(ben, document, paper)
    assert sorted(each["open"] for each in items(ben)) == ["-100.00", "10.00"]
    assert findings(ben, document) == []
    [made] = ben.get("/api/settlements").json["settlements"]
    assert (made["status"], len(made["parts"])) == ("STANDING", 2)
    assert ben.post(f"/api/journal-entries/{entry}/void", json={"reason": "Twice"}).status_code == 200
    assert sorted(each["open"] for each in items(ben)) == ["10.00", "72.50"]


@pytest.mark.parametrize("paid", [("70.00",), ("72.50", "72.50")], ids=["none", "several"])
def test_what_nothing_or_several_make_stays_open_and_is_a_finding(ben, books, paper, shop, paid):
    for amount in paid:
        owe(ben, books, amount, shop, account="Trade payables", day="2026-02-20")
    document = invoice(ben, shop, prepaid="72.50", due="100.00")
    booked(ben, document, paper)
    assert sorted(each["open"] for each in items(ben)) == sorted([*paid, "-172.50"])
    assert findings(ben, document) == ["prepaid_open"]


def test_what_a_document_rounds_is_owed_with_it(ben, paper, shop):
    document = invoice(ben, shop, due="172.52")
    booked(ben, document, paper)
    assert [each["amount"] for each in items(ben)] == ["-172.52"]


def test_a_payment_is_known_by_the_payment_reference_of_the_document(ben, bank, giro, paper, shop):
    document = invoice(ben, shop, remittance="INV 2026 4711 77")
    assert document["remittance"] == "INV 2026 4711 77"
    booked(ben, document, paper)
    line = send(bank, giro, "2026-03-16", "-172.50", text="SEPA INV20264711 77 thanks")
    [choice] = ben.get(f"/api/transactions/{line}/payments").json["payments"]["choices"]
    assert choice["basis"] == "IDENTIFICATION"
    ben.patch(f"/api/transactions/{line}", json={"settles": choice["parts"]})
    confirm(ben, line)
    assert items(ben) == []


@pytest.mark.parametrize("syntax", [invoices.ubl, invoices.cii])
@pytest.mark.parametrize("known", [True, False], ids=["merchant", "no party"])
@pytest.mark.parametrize(("prepaid", "due"), [("172.50", "0.00"), ("63.10", "109.40")])
def test_a_prepayment_is_said_whoever_it_is_of(ben, books, paper, shop, syntax, known, prepaid, due):
    document = sent(ben, syntax(prepaid=prepaid, due=due), "invoice.xml").json["document"]
    ben.patch(f"{DOCUMENTS}/{document['id']}", json={"orgMerchantId": shop if known else None})
    body = {"accountId": paper, "post": True}
    answer = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json=body).json
    assert "prepaid_open" in findings(ben, document)
    [warning] = answer["warnings"]
    assert warning.startswith(f"{prepaid} EUR was prepaid")
    party = shop if known else None
    ben.post(f"/api/journal-entries/{answer['entry']['id']}/void", json={"reason": "Again"})
    owe(ben, books, prepaid, party, account="Trade payables", day="2026-02-20")
    assert ben.post(f"{DOCUMENTS}/{document['id']}/entry", json=body).json["warnings"] == []
    assert "prepaid_open" not in findings(ben, document)
    left = [] if due == "0.00" else [f"-{due}"]
    assert [each["open"] for each in items(ben)] == left


def test_posting_a_draft_says_what_is_prepaid(ben, paper):
    document = sent(ben, invoices.ubl(prepaid="72.50", due="100.00"), "invoice.xml").json["document"]
    answer = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": paper}).json
    assert answer["warnings"] == []
    done = ben.post(f"/api/journal-entries/{answer['entry']['id']}/post", json={}).json
    assert [each.split(",")[0] for each in done["warnings"]] == ["72.50 EUR was prepaid"]


REQUESTS = ("71", "102", "130", "202", "203", "204", "211", "325", "751")
SIDES = {
    "380": "BILL",
    "384": "BILL",
    "389": "BILL",
    "393": "BILL",
    "381": "CREDIT_NOTE",
    "396": "CREDIT_NOTE",
}


@pytest.mark.parametrize("syntax", [invoices.ubl, invoices.cii])
@pytest.mark.parametrize("code", [*REQUESTS, *SIDES])
def test_a_document_has_a_side_or_is_no_invoice_and_asks(ben, bank, giro, paper, shop, syntax, code):
    document = sent(ben, syntax(type_code=code), "invoice.xml").json["document"]
    is_request = code in REQUESTS
    assert document["documentType"] == ("OTHER" if is_request else SIDES[code])
    assert ("not_an_invoice" in findings(ben, document)) == is_request
    if document["documentType"] == "CREDIT_NOTE":
        ben.patch(f"{DOCUMENTS}/{document['id']}", json={"side": "PURCHASE"})
    body = {"accountId": paper, "post": True}
    answer = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json=body)
    if not is_request:
        assert answer.status_code == 201, answer.json
        return
    assert (answer.status_code, answer.json["code"]) == (409, "not_an_invoice")
    line = send(bank, giro, "2026-03-16", "-172.50")
    split = {"documentId": document["id"], "accountId": paper}
    asked = ben.post(f"/api/transactions/{line}/splits", json=split)
    assert (asked.status_code, asked.json["code"]) == (409, "not_an_invoice")
    assert items(ben) == []
    assert ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={**body, "force": True}).status_code == 201
