"""What a bank states of a line beside amount and text is kept: charges, an original amount, why it came back."""

import csv
import io
import json
import re

import pytest

from tests.fixtures.bank_files.camt_files import entry, message, statement, tag
from tests.fixtures.feeds import line
from tests.fixtures.helpers.owed import keep_items, owe
from webapp.ledger.canonical import camel

CHARGED = tag("Amt", "1480.00", Ccy="EUR") + tag("Chrgs", tag("Rcrd", tag("Amt", "19.50", Ccy="EUR")))
FOREIGN = tag("Amt", "4000.00", Ccy="USD") + tag(
    "AmtDtls",
    tag("InstdAmt", tag("Amt", "4000.00", Ccy="USD"))
    + tag("TxAmt", tag("Amt", "3680.00", Ccy="EUR") + tag("CcyXchg", tag("XchgRate", "0.92"))),
)
RETURNED = tag("RtrInf", tag("Rsn", tag("Cd", "MS03")) + tag("AddtlInf", "Reason not given"))
FIELDS = ("charges", "originalAmount", "originalCurrency", "exchangeRate", "returnReason", "returnText")


@pytest.mark.parametrize(
    ("amount", "details", "expected"),
    [
        ("1499.50", CHARGED, ("19.50", None, None, None, None, None)),
        ("3680.00", FOREIGN, (None, "4000.00", "USD", "0.92", None, None)),
        ("75.00", RETURNED, (None, None, None, None, "MS03", "Reason not given")),
        ("75.00", tag("Amt", "75.00", Ccy="EUR"), (None,) * 6),
    ],
)
def test_a_line_keeps_what_camt_says_beside_amount_and_text(ben, bank, amount, details, expected):
    data = message(statement(entry(amount, "DBIT", tag("TxDtls", details))))
    answer = ben.post("/api/feeds/imports", data={"file": (io.BytesIO(data), "bank.xml")})
    assert answer.status_code == 201, answer.json
    (line,) = ben.get("/api/transactions").json["transactions"]
    assert (line["amount"], *(line[name] for name in FIELDS)) == (f"-{amount}", *expected)
    one = ben.get(f"/api/transactions/{line['id']}").json["transaction"]
    assert [one[name] for name in FIELDS] == list(expected)
    page = ben.browser().get(f"/feeds/{line['faId']}?line={line['id']}").text
    for value in filter(None, expected):
        assert value in page


@pytest.mark.parametrize(
    ("amount", "details", "total", "currency"),
    [("1499.50", CHARGED, "1480.00", "EUR"), ("3680.00", FOREIGN, "4000.00", "USD")],
)
def test_a_bill_is_found_by_the_amount_without_charges_or_the_original_one(
    ben, bank, amount, details, total, currency
):
    bill = {
        "documentType": "BILL",
        "number": "B-9",
        "issuedOn": "2026-03-01",
        "total": total,
        "currency": currency,
    }
    filed = ben.post("/api/documents", json=bill)
    assert filed.status_code == 201, filed.json
    data = message(statement(entry(amount, "DBIT", tag("TxDtls", details))))
    ben.post("/api/feeds/imports", data={"file": (io.BytesIO(data), "bank.xml")})
    (line,) = ben.get("/api/transactions").json["transactions"]
    choices = ben.get(f"/api/transactions/{line['id']}/documents").json["documents"]["choices"]
    assert [each["id"] for each in choices] == [filed.json["document"]["id"]]


@pytest.fixture
def charged(ben, feed):
    """Push a line with charges of 12.40; answers it."""

    def push(amount, day="2026-03-20", **more):
        feed.push(added=[line(f"L{amount}", amount, day, "Wire", **{"charges": "12.40", **more})])
        return next(
            each for each in ben.get("/api/transactions").json["transactions"] if each["amount"] == amount
        )

    return push


def test_a_push_has_the_details_of_lines_too(ben, feed):
    details = {
        "charges": "2.10",
        "originalAmount": "50.00",
        "originalCurrency": "USD",
        "exchangeRate": "0.91",
        "returnReason": "AC04",
        "returnText": "Closed account",
    }
    feed.push(added=[line("A1", pending=True), line("A2", "-47.60", **details)])
    (found,) = [each for each in feed.lines() if each["amount"] == "-47.60"]
    assert {name: found[name] for name in FIELDS} == details
    feed.push(added=[line("A1", pending=False, charges="0.50")])
    assert [each["charges"] for each in feed.lines() if each["amount"] == "-12.50"] == ["0.50"]
    refused = feed.push(added=[line("A3", charges="-1.00")])
    assert (refused.status_code, len(feed.lines())) == (422, 2)


@pytest.mark.parametrize(
    ("amount", "document", "parts"),
    [
        ("-212.40", "BILL", {"-200.00", "-12.40"}),
        ("187.60", "INVOICE", {"200.00", "-12.40"}),
    ],
)
def test_a_document_without_the_charges_splits_the_line_with_them(
    ben, books, charged, amount, document, parts
):
    there = charged(amount)
    body = {
        "documentType": document,
        "number": "B-1",
        "issuedOn": "2026-03-01",
        "total": "200.00",
        "currency": "EUR",
    }
    filed = ben.post("/api/documents", json=body).json["document"]
    answer = ben.get(f"/api/documents/{filed['id']}/booking?transactionId={there['id']}").json["booking"]
    assert {each["amount"] for each in answer["splits"]} == parts
    sent = {"documentId": filed["id"], "accountId": books.account_id("Travel")}
    split = ben.post(f"/api/transactions/{there['id']}/splits", json=sent)
    assert split.status_code == 200, split.json
    of_charges = [each for each in split.json["transaction"]["splits"] if each["amount"] == "-12.40"]
    assert [each["accountId"] for each in of_charges] == [books.account_id("Bank charges")]


def test_the_form_of_splits_proposes_the_charges(ben, books, charged):
    browser = ben.browser()
    for amount, proposed in (("-212.40", "12.40"), ("187.60", "-12.40")):
        there = charged(amount)
        page = browser.get(f"/feeds/{there['faId']}?line={there['id']}&edit=splits").text
        assert f'value="{proposed}"' in page.replace("\u2212", "-")


@pytest.mark.parametrize(
    ("amount", "owed", "on"),
    [("187.60", "200.00", "Trade receivables"), ("-212.40", "-200.00", "Trade payables")],
)
def test_open_items_that_are_the_line_without_its_charges_are_paid_with_them(
    ada, ben, books, feed, charged, amount, owed, on
):
    keep_items(ada, books.account_id(on))
    owe(ben, books, owed, account=on, day="2026-03-01", reference="X-7")
    there = charged(amount)
    found = ben.get(f"/api/transactions/{there['id']}/payments").json["payments"]
    first = found["choices"][0]
    assert (first["charges"], first["unused"], first["leftOpen"]) == ("12.40", "-12.40", "0.00")
    page = ben.browser().get(f"/feeds/{there['faId']}?line={there['id']}&edit=payments").text
    form = dict(
        re.findall(
            r'<input type="hidden" name="([^"]+)" value="([^"]*)">',
            page.partition('class="pay"')[2].partition("</form>")[0],
        )
    )
    sent = ben.browser().post(f"/transactions/{there['id']}", data=form)
    assert sent.status_code in {200, 303}, re.findall(r"<p[^>]*(?:problem|error|bad)[^>]*>[^<]*", sent.text)
    entry = ben.get(f"/api/transactions/{there['id']}").json["transaction"]["journalEntryId"]
    postings = ben.get(f"/api/journal-entries/{entry}").json["entry"]["postings"]
    ben.post(f"/api/transactions/{there['id']}/confirm", json={"force": True})
    posted = ben.get("/api/journal-entries?limit=50").json["entries"]
    charges = [
        each["amount"]
        for entry in posted
        for each in entry["postings"]
        if each["accountName"] == "Bank charges"
    ]
    assert charges == ["12.40"], postings
    assert ben.get("/api/items").json["items"] == []


@pytest.mark.parametrize("book", ["hledger", "beancount", "csv"])
def test_books_for_other_systems_have_the_details_of_a_line(ben, charged, book):
    details = {
        "charges": "12.40",
        "original_amount": "230.00",
        "original_currency": "USD",
        "exchange_rate": "0.87",
        "return_reason": "AM04",
        "return_text": '=No "money"',
        "reference": "E2E-77",
    }
    there = charged("-212.40", **{camel(name): value for name, value in details.items()})
    confirmed = ben.post(f"/api/transactions/{there['id']}/confirm", json={"force": True})
    assert confirmed.status_code == 200, confirmed.json
    text = ben.get(f"/api/exports/{book}").text
    if book == "csv":
        bank, *others = csv.DictReader(io.StringIO(text))
        guarded = details | {"return_text": "'" + details["return_text"]}
        assert {name: bank[camel(name)] for name in details} == guarded
        assert not any(other[camel(name)] for other in others for name in details)
    else:
        assert all(f"{name}: {json.dumps(value)}" in text for name, value in details.items())
