"""A discount takes its share of tax: its splits may be on any account that keeps no items and is no bank's."""

from decimal import Decimal

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import confirm, send

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture(autouse=True)
def receivables(ada, books):
    return keep_items(ada, books.account_id("Trade receivables"))


def short(books, amount, net, tax, **facts):
    """Write a discount of a net part and its tax."""
    splits = [
        {"accountId": books.account_id("Sales of services"), "amount": net},
        {"accountId": books.account_id("VAT payable"), "amount": tax},
    ]
    return {"amount": amount, "as": "DISCOUNT", "splits": splits, **facts}


def tax_owed(person):
    found = person.get("/api/accounts?limit=200").json["accounts"]
    return next(Decimal(each["balanceBase"]) for each in found if each["name"] == "VAT payable")


def pay(person, line, **others):
    settles = [{"itemId": each["id"]} for each in items(person)]
    return person.patch(f"/api/transactions/{line}", json={"settles": settles, **others})


def test_the_tax_account_has_exactly_its_share_less(ben, books, bank, giro):
    owe(ben, books, "714.00", bank.merchant("Acme"))
    line = send(bank, giro, "2026-03-20", "692.58")
    answer = pay(ben, line, short=short(books, "21.42", "18.00", "3.42"))
    assert answer.status_code == 200, answer.json
    confirm(ben, line)
    assert items(ben) == []
    assert tax_owed(ben) == Decimal("3.42")


def test_the_tax_of_a_foreign_item_is_taken_back_in_base(ben, books, bank):
    """714.00 USD at 1.25 are 571.20: 3 % of that are 17.14, of which the tax is 2.74."""
    bank.quote("2026-03-01", "USD", "1.25")
    bank.quote("2026-03-20", "USD", "1.25")
    owe(ben, books, "714.00", bank.merchant("Acme"), currency="USD")
    line = send(bank, bank.open("Dollars", "USD"), "2026-03-20", "692.58")
    answer = pay(ben, line, short=short(books, "21.42", "18.00", "3.42"))
    assert answer.status_code == 200, answer.json
    confirm(ben, line)
    assert items(ben) == []
    assert tax_owed(ben) == Decimal("2.74")


def test_accounts_that_cannot_take_a_part_are_refused(ben, books, bank, giro, receivables):
    owe(ben, books, "714.00", bank.merchant("Acme"))
    line = send(bank, giro, "2026-03-20", "692.58")
    sales = books.account_id("Sales of services")
    for account_id in (receivables, bank.ledger_account(giro)):
        splits = [{"accountId": sales, "amount": "18.00"}, {"accountId": account_id, "amount": "3.42"}]
        refused = pay(ben, line, short={"amount": "21.42", "as": "DISCOUNT", "splits": splits})
        assert (refused.status_code, refused.json["code"]) == (422, "shortfall")
        assert "short.splits.1.accountId" in refused.json["fields"]
    tax = books.account_id("VAT payable")
    refused = pay(ben, line, short={"amount": "21.42", "as": "DISCOUNT", "accountId": tax})
    assert (refused.status_code, refused.json["code"]) == (422, "shortfall")
    fee = short(books, "21.42", "18.00", "3.42", **{"as": "FEE"})
    refused = pay(ben, line, short={**fee, "as": "FEE"})
    assert (refused.status_code, refused.json["code"]) == (422, "shortfall")
