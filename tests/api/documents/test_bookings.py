"""A document is booked in one step by what it states: its entry, or the splits of the line that pays it."""

import re
from dataclasses import replace

import pytest

from tests.fixtures import invoices
from tests.fixtures.helpers.documents import DOCUMENTS, filed, sent

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture
def paper(bank):
    return bank.account("Paper")


@pytest.fixture
def invoice(ben, bank):
    return sent(ben, invoices.ubl(), "invoice.xml").json["document"]


def booking(person, document, **query):
    answer = person.get(f"{DOCUMENTS}/{document['id']}/booking", query_string=query)
    assert answer.status_code == 200, answer.json
    return answer.json["booking"]


def legs(entry):
    return [(each["accountName"], each["amount"]) for each in entry["postings"]]


def test_an_entry_is_shown_first_and_then_written_in_one_step(ben, invoice, paper, chart):
    shown = booking(ben, invoice)
    assert [
        (each["kind"], each["accountId"], each["amount"], each["rate"]) for each in shown["postings"]
    ] == [
        ("NET", None, "100.00", "19"),
        ("NET", None, "50.00", "7"),
        ("TAX", chart["VAT receivable"], "22.50", None),
        ("OWED", chart["Trade payables"], "-172.50", None),
    ]
    address = f"{DOCUMENTS}/{invoice['id']}/entry"
    missing = ben.post(address, json={})
    assert (missing.status_code, missing.json["code"], list(missing.json["fields"])) == (
        422, "account_missing", ["accountId"],
    )  # fmt: skip

    answer = ben.post(address, json={"accountId": paper})

    assert answer.status_code == 201, answer.json
    entry = answer.json["entry"]
    assert (entry["status"], entry["source"], entry["effectiveAt"]) == (
        "DRAFT", "document", "2026-03-02T00:00:00Z",
    )  # fmt: skip
    assert legs(entry) == [
        ("Paper", "100.00"), ("Paper", "50.00"), ("VAT receivable", "22.50"), ("Trade payables", "-172.50"),
    ]  # fmt: skip


def test_the_line_that_pays_is_split_by_the_breakdown_in_one_step(ben, bank, invoice, paper, chart):
    line = bank.send("2026-03-16", "-172.50", "Paper Shop RE-4711")
    shown = booking(ben, invoice, transactionId=line)
    assert [(each["kind"], each["amount"]) for each in shown["splits"]] == [
        ("NET", "-100.00"), ("NET", "-50.00"), ("TAX", "-22.50"),
    ]  # fmt: skip

    body = {"documentId": invoice["id"], "accountId": paper}
    answer = ben.post(f"/api/transactions/{line}/splits", json=body)

    assert (answer.status_code, answer.json["changed"]) == (200, True)
    splits = answer.json["transaction"]["splits"]
    assert [(each["accountId"], each["amount"]) for each in splits] == [
        (paper, "-100.00"), (paper, "-50.00"), (chart["VAT receivable"], "-22.50"),
    ]  # fmt: skip
    assert ben.post(f"/api/transactions/{line}/splits", json=body).json["changed"] is False


def test_what_was_prepaid_goes_off_on_an_account_that_somebody_chooses(ben, bank, paper):
    document = sent(ben, invoices.ubl(prepaid="72.50", due="100.00"), "invoice.xml").json["document"]
    line = bank.send("2026-03-16", "-100.00", "RE-4711")
    body = {"documentId": document["id"], "accountId": paper}
    missing = ben.post(f"/api/transactions/{line}/splits", json=body)
    assert list(missing.json["fields"]) == ["prepaidAccountId"]

    prepaid = bank.account("Prepayments", type_="ASSET")
    answer = ben.post(f"/api/transactions/{line}/splits", json={**body, "prepaidAccountId": prepaid})

    assert [each["amount"] for each in answer.json["transaction"]["splits"]] == [
        "-100.00", "-50.00", "-22.50", "72.50",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "amount", "tax", "owed", "signs"),
    [
        ("INVOICE", "119.00", "VAT payable", "Trade receivables", ("-100.00", "-19.00", "119.00")),
        ("CREDIT_NOTE", "119.00", "VAT receivable", "Trade payables", ("-100.00", "-19.00", "119.00")),
    ],
)
def test_each_kind_of_document_has_its_side(ben, bank, paper, kind, amount, tax, owed, signs):
    side = {"side": "PURCHASE"} if kind == "CREDIT_NOTE" else {}
    document = filed(
        ben, documentType=kind, sender="Somebody", net="100.00", tax="19.00", total="119.00", **side
    )
    answer = ben.post(f"{DOCUMENTS}/{document['id']}/entry", json={"accountId": paper, "post": True})
    assert legs(answer.json["entry"]) == [("Paper", signs[0]), (tax, signs[1]), (owed, signs[2])]
    line = bank.send("2026-03-16", amount, "Somebody")
    split = ben.post(
        f"/api/transactions/{line}/splits", json={"documentId": document["id"], "accountId": paper}
    )
    assert [each["amount"] for each in split.json["transaction"]["splits"]] == ["100.00", "19.00"]


@pytest.mark.parametrize("tax", ["0.00", "19.00"])
def test_no_document_is_posted_against_its_own_account(ben, bank, paper, tax):
    net = {"0.00": "119.00", "19.00": "100.00"}[tax]
    facts = {
        "net": net,
        "tax": tax,
        "total": "119.00",
        "projectId": bank.project("Move"),
        "sender": "Somebody",
    }
    bill = filed(ben, documentType="BILL", **facts)
    body = {"accountId": paper, "counterAccountId": paper}
    for post in (False, True):
        refused = ben.post(f"{DOCUMENTS}/{bill['id']}/entry", json={**body, "post": post})
        assert (refused.status_code, refused.json["code"]) == (422, "against_itself")
    legs_ = [{"accountId": paper, "amount": each} for each in ("119.00", "-119.00")]
    legs_[0]["projectId"] = facts["projectId"]
    entry = {"effectiveAt": "2026-03-02", "postings": legs_}
    by_hand = ben.post("/api/journal-entries", json={**entry, "documentId": bill["id"]})
    assert (by_hand.status_code, by_hand.json["code"]) == (422, "against_itself")
    assert ben.post("/api/journal-entries", json=entry).status_code == 201, "it moves a project"


def test_figures_that_do_not_add_up_are_booked_by_hand(ben, bank, paper):
    wrong = filed(ben, documentType="BILL", net="100.00", tax="20.00", total="119.00")
    assert "are not the total 119.00 EUR" in booking(ben, wrong)["problem"]
    refused = ben.post(f"{DOCUMENTS}/{wrong['id']}/entry", json={"accountId": paper})
    assert (refused.status_code, refused.json["code"]) == (422, "not_in_parts")
    right = filed(ben, documentType="BILL", net="100.00", tax="19.00", total="119.00")
    for amount in ("-118.99", "119.00"):
        line = bank.send("2026-03-16", amount)
        body = {"documentId": right["id"], "accountId": paper}
        refused = ben.post(f"/api/transactions/{line}/splits", json=body)
        assert (refused.status_code, refused.json["code"]) == (422, "not_in_parts"), amount


def test_the_tax_goes_where_the_last_document_of_the_kind_had_it(ben, bank, invoice, paper):
    other = bank.account("Input tax", type_="ASSET")
    body = {"accountId": paper, "taxAccountId": other}
    assert ben.post(f"{DOCUMENTS}/{invoice['id']}/entry", json=body).status_code == 201
    second = sent(ben, invoices.ubl(number="RE-4712"), "second.xml").json["document"]

    (tax,) = [each for each in booking(ben, second)["postings"] if each["kind"] == "TAX"]

    assert tax["accountId"] == other


def test_a_person_sees_the_parts_on_the_line_and_splits_it(ben, bank, invoice, paper, chart):
    line = bank.send("2026-03-16", "-172.50", "Paper Shop RE-4711")
    fa_id = ben.get(f"/api/transactions/{line}").json["transaction"]["faId"]
    ben.post(f"{DOCUMENTS}/{invoice['id']}/relations", json={"transactionId": line})
    browser = ben.browser()
    page = browser.get(f"/feeds/{fa_id}?show=all&line={line}&edit=documents").text
    assert f'action="/transactions/{line}/documents/split"' in page
    assert "Net at 19 %" in page

    form = {"documentId": invoice["id"], "accountId": paper, "taxAccountId": chart["VAT receivable"]}
    assert browser.post(f"/transactions/{line}/documents/split", data=form).status_code == 303

    splits = ben.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    assert [each["amount"] for each in splits] == ["-100.00", "-50.00", "-22.50"]


def test_the_form_of_an_entry_is_filled_by_the_breakdown(ben, invoice):
    page = ben.browser().get(f"/journal/new?documentId={invoice['id']}").text
    for amount in ("100.00", "50.00", "22.50", "172.50"):
        assert f'value="{amount}"' in page
    assert "VAT receivable" in page


@pytest.mark.parametrize(
    ("chart", "codes", "next_code"),
    [
        ("de_skr03", ("1576", "1600"), "8000"),
        ("de_skr04", ("1406", "3300"), "4000"),
        ("nl", ("1500", "1600"), "8910"),
        ("us", ("1350", "2010"), "4960"),
    ],
)
def test_books_of_each_country_book_a_bill_on_their_own_accounts(ada, chart, codes, next_code):
    browser = ada.browser()
    assert (
        browser.post("/start", data={"name": "X", "baseCurrency": "EUR", "chart": "mars"}).status_code == 422
    )
    hub = browser.post("/start", data={"name": "X", "baseCurrency": "EUR", "chart": chart}).location
    key = browser.post(f"{hub}settings/keys", data={"name": "Filer", "scopes": ["read", "draft", "admin"]})
    person = replace(ada, token=re.search(r"tie_[0-9A-Za-z]+", key.text)[0])
    document = sent(person, invoices.ubl(), "invoice.xml").json["document"]
    accounts = {each["id"]: each for each in person.get("/api/accounts?limit=200").json["accounts"]}
    kinds = {each["kind"]: each["accountId"] for each in booking(person, document)["postings"]}
    assert tuple(accounts[kinds[kind]]["code"] for kind in ("TAX", "OWED")) == codes
    made = person.post("/api/accounts", json={"name": "Lamps", "type": "INCOME"}).json["account"]
    assert made["code"] == next_code
