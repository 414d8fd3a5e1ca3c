"""What a payment leaves: a discount takes its share of tax, and one payment writes off up to a limit."""

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


def written_off(ben, books, bank, base, amount):
    """Let a line be short of its item by an amount, written off."""
    whole = {
        "EUR": ("5000.00", f"{5000 - float(amount):.2f}"),
        "JPY": ("900000", str(900000 - int(float(amount)))),
    }
    owed, paid = whole.get(base) or ("5000.000", f"{5000 - float(amount):.3f}")
    owe(ben, books, owed, bank.merchant("Acme"), currency=base)
    line = send(bank, bank.open("Giro", base), "2026-03-20", paid)
    short = {"amount": amount, "as": "WRITE_OFF", "accountId": books.account_id("Other income")}
    return ben.patch(
        f"/api/transactions/{line}", json={"settles": [{"itemId": items(ben)[0]["id"]}], "short": short}
    )


@pytest.mark.parametrize(
    ("base", "most", "more"),
    [("EUR", "100.00", "100.01"), ("JPY", "10000", "10001"), ("KWD", "100.000", "100.001")],
)
def test_by_default_it_is_a_hundred_or_ten_thousand_yen(ada, ben, books, bank, base, most, more):
    bank.rebase(base)
    keep_items(ada, books.account_id("Trade receivables"))
    refused = written_off(ben, books, bank, base, more)
    assert (refused.status_code, refused.json["code"]) == (422, "shortfall")
    assert refused.json["details"] == {"most": most, "currency": base}


@pytest.mark.parametrize(
    ("limit", "amount", "status"), [("7.50", "7.50", 200), ("7.50", "7.51", 422), ("", "7.51", 200)]
)
def test_an_owner_sets_it(ada, ben, books, bank, limit, amount, status):
    keep_items(ada, books.account_id("Trade receivables"))
    form = {"name": "Lantern", "timeZone": "UTC", "locale": "en-GB", "writeOffLimit": limit}
    assert ada.browser().post("/settings/organization", data=form).status_code in (200, 302, 303)
    assert written_off(ben, books, bank, "EUR", amount).status_code == status


def test_a_limit_below_nothing_is_refused_at_its_field(ada):
    form = {"name": "Lantern", "timeZone": "UTC", "locale": "en-GB", "writeOffLimit": "-1.00"}
    answer = ada.browser().post("/settings/organization", data=form)
    assert answer.status_code == 422
    assert "an amount from 0.00 on" in answer.text
