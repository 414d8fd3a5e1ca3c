"""What is posted without a tax code since the books have taxes, and the codes that it gets later."""

import pytest

from tests.api.tax.conftest import Taxes, done
from tests.pages.test_manual_entries import said


@pytest.fixture
def taxes(ada, bank):
    bank.open()
    return Taxes(ada, bank)


def book(taxes, day, amount, account):
    line = taxes.bank.send(day, amount, f"{account} {day}")
    done(taxes.person.patch(f"/api/transactions/{line}", json={"accountId": taxes.accounts[account]}))
    done(taxes.person.post(f"/api/transactions/{line}/confirm", json={"force": True}))
    return line


def missing(taxes, **query):
    found = done(taxes.person.get("/api/tax/codes/missing", query_string=query))["postings"]
    return [(each["accountName"], each["amountBase"], each["transactionId"]) for each in found]


def test_lines_get_their_codes_later_and_are_listed_until_then(taxes):
    assert missing(taxes) == []
    book(taxes, "2025-12-31", "-12.00", "Software")
    bought, sold = (
        book(taxes, "2026-02-03", "-60.00", "Software"),
        book(taxes, "2026-02-04", "120.00", "Sales of services"),
    )
    taxes.sale("2026-02-05", "12.00", "S20")
    cash = [("Petty cash", "7.00", None, {}), ("Sales of services", "-7.00", None, {})]
    taxes.enter("2026-02-06", *cash)
    expected = [
        ("Software", "60.00", bought),
        ("Sales of services", "-120.00", sold),
        ("Sales of services", "-7.00", None),
    ]
    assert missing(taxes) == expected
    assert missing(taxes, side="PURCHASE") == expected[:1]

    pages = taxes.person.browser()
    assert f'form="coding" value="{sold}"' in pages.get("/tax/uncoded?side=SALE").text
    none = pages.post("/tax/uncoded", data={"taxCodeId": taxes.codes["S20"]})
    assert (none.status_code, "Choose a bank line first." in said(none)) == (422, True)
    form = {"ids": [str(bought), str(sold)], "taxCodeId": str(taxes.codes["P20"])}
    answer = pages.post("/tax/uncoded", data=form)
    assert ("1 line changed." in said(answer), "P20 is a tax code of purchases" in said(answer)) == (
        True,
        True,
    )
    pages.post("/tax/uncoded", data={"ids": [str(sold)], "taxCodeId": str(taxes.codes["S20"])})
    assert missing(taxes) == expected[2:]
    query = {"form": "generic-vat", "to": "2026-03-31"}
    found = done(taxes.person.get("/api/tax/returns/open", query_string=query))["taxReturn"]
    assert [each["amount"] for each in found["boxes"] if each["box"] in "AD"] == ["22.00", "10.00"]
    assert [each["message"] for each in found["warnings"]] == ["1 entry has income without a tax code."]


def test_what_a_correction_leaves_without_a_code_is_listed(taxes):
    line = book(taxes, "2026-02-03", "-60.00", "Software")
    path = f"/api/transactions/{line}"

    def corrected(account, code=None):
        body = {"accountId": taxes.accounts[account], "taxCodeId": code and taxes.codes[code]}
        done(taxes.person.patch(path, json=body))
        done(taxes.person.post(f"{path}/confirm", json={"force": True}))
        return missing(taxes)

    assert corrected("Rent") == [("Rent", "60.00", line)]
    assert corrected("Rent", "P20") == []
    assert corrected("Software") == [("Software", "60.00", line)]
