"""What a bank states of a line beside amount and text is kept: charges, an original amount, why it came back."""

import io

import pytest

from tests.fixtures.bank_files.camt_files import entry, message, statement, tag

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
