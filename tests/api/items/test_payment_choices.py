"""What a bank line may pay, over the API and on the page: proposed with evidence, and doubted where others fit."""

import pytest

from tests.fixtures.helpers.owed import keep_items, owe
from tests.fixtures.helpers.transfers import send

pytestmark = pytest.mark.usefixtures("sound", "keeping")


@pytest.fixture
def keeping(ada, books):
    keep_items(ada, books.account_id("Trade receivables"))


@pytest.fixture
def owed(ben, books, halden):
    """Three open invoices, two of them of one amount."""
    for number, amount in ((1041, "400.00"), (1042, "400.00"), (1043, "90.00")):
        owe(ben, books, amount, halden, reference=f"RE-{number}")
    return halden


def payments(person, line):
    answer = person.get(f"/api/transactions/{line}/payments")
    assert answer.status_code == 200, answer.json
    return answer.json["payments"]


def references(found, choice):
    names = {each["id"]: each["reference"] for each in found["items"]}
    return [names[part["itemId"]] for part in choice["parts"]]


def test_the_number_in_a_line_identifies_its_document_whoever_pays(ben, bank, giro, owed):
    line = send(bank, giro, "2026-03-20", "400.00", text="Invoice re 1042 thanks")
    found = payments(ben, line)
    assert (found["verdict"], found["choices"][0]["basis"]) == ("unique", "IDENTIFICATION")
    assert references(found, found["choices"][0]) == ["RE-1042"]


def test_twin_amounts_are_proposed_both_and_said_to_be_several(ben, bank, giro, owed):
    found = payments(ben, send(bank, giro, "2026-03-20", "400.00", text="Payment"))
    assert found["verdict"] == "several"
    assert [references(found, each) for each in found["choices"]] == [["RE-1041"], ["RE-1042"]]


def test_the_merchant_of_a_line_is_the_one_that_pays(ben, bank, giro, owed):
    line = send(bank, giro, "2026-09-20", "890.00", text="Payment")
    assert payments(ben, line)["choices"] == []
    ben.patch(f"/api/transactions/{line}", json={"orgMerchantId": owed})
    (choice,) = payments(ben, line)["choices"]
    assert choice["reason"] == "All 3 open items add up to it."


def test_what_is_short_is_said(ben, bank, giro, owed):
    found = payments(ben, send(bank, giro, "2026-03-20", "80.00", text="RE-1043"))
    (choice,) = found["choices"]
    assert (choice["parts"][0]["amount"], choice["leftOpen"], choice["unused"]) == ("80.00", "10.00", "0.00")


def test_a_line_of_others_is_not_found(dan, bank, giro):
    line = send(bank, giro, "2026-03-20", "80.00")
    assert dan.get(f"/api/transactions/{line}/payments").status_code == 404


def test_the_page_shows_the_evidence_and_pays_what_is_chosen(ben, bank, giro, owed, books):
    line = send(bank, giro, "2026-03-20", "400.00", text="Payment")
    pages = ben.browser()
    page = pages.get(f"/feeds/{giro}?show=all&line={line}&edit=payments").text
    assert "Several open items match this line." in page
    assert page.count("as paid</button>") == 2
    found = payments(ben, line)
    part = found["choices"][1]["parts"][0]
    form = {"settles.0.itemId": part["itemId"], "settles.0.amount": part["amount"]}
    assert pages.post(f"/transactions/{line}", data=form).status_code == 303
    booked = ben.get(f"/api/transactions/{line}").json["transaction"]
    assert (booked["accountId"], booked["orgMerchantId"]) == (books.account_id("Trade receivables"), owed)
    assert booked["settles"] == [part]
    assert "Pays" in pages.get(f"/feeds/{giro}?show=all").text
    assert pages.post(f"/transactions/{line}", data={"settles": ""}).status_code == 303
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["settles"] == []


def test_a_payment_that_is_almost_enough_is_paid_in_full_with_the_fee(ben, bank, giro, owed):
    line = send(bank, giro, "2026-03-20", "88.00", text="RE-1043")
    part = payments(ben, line)["choices"][0]["parts"][0]
    form = {
        "settles.0.itemId": part["itemId"],
        "short.amount": "2.00",
        "short.as": "FEE",
        "short.accountId": "",
    }
    pages = ben.browser()
    assert "Pay in full" in pages.get(f"/feeds/{giro}?show=all&line={line}&edit=payments").text
    assert pages.post(f"/transactions/{line}", data=form).status_code == 303
    assert ben.get(f"/api/transactions/{line}").json["transaction"]["short"]["as"] == "FEE"
    assert ben.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert "RE-1043" not in {each["reference"] for each in ben.get("/api/items").json["items"]}


def test_a_line_that_brings_a_payment_back_names_it(ben, bank, giro, owed):
    line = send(bank, giro, "2026-03-20", "90.00", text="RE-1043")
    part = payments(ben, line)["choices"][0]["parts"][0]
    ben.patch(f"/api/transactions/{line}", json={"settles": [part]})
    assert ben.post(f"/api/transactions/{line}/confirm").status_code == 200
    back = send(bank, giro, "2026-03-25", "-90.00", text="Return", counterparty="Halden Optik")
    (choice,) = payments(ben, back)["choices"]
    assert (choice["basis"], choice["reason"]) == (
        "RETURNED_PAYMENT",
        "Brings back the payment of 20 Mar 2026.",
    )
    assert ben.patch(f"/api/transactions/{back}", json={"settles": choice["parts"]}).status_code == 200


def test_a_payment_in_another_currency_says_its_rate_and_that_of_the_day(ben, books, bank, giro, halden):
    bank.quote("2026-03-01", "USD", "1.10")
    bank.quote("2026-03-20", "USD", "1.18")
    owe(ben, books, "1100.00", halden, currency="USD", reference="RE-2001")
    line = send(bank, giro, "2026-03-20", "930.00", text="Invoice RE-2001")
    (choice,) = payments(ben, line)["choices"]
    assert choice["rates"] == {"implied": "1.18280", "ofDay": "1.18000"}
    shown = ben.browser().get(f"/feeds/{giro}?show=all&line={line}&edit=payments").text
    assert "pays it at 1.18280 USD for 1 EUR" in shown
    later = send(bank, giro, "2026-06-20", "930.00", text="Invoice RE-2001")
    assert payments(ben, later)["choices"][0]["rates"]["ofDay"] is None


def test_a_payment_in_the_same_currency_has_no_rate(ben, bank, giro, owed):
    line = send(bank, giro, "2026-03-20", "400.00", text="Invoice re 1042 thanks")
    assert {each["rates"] for each in payments(ben, line)["choices"]} == {None}
