"""What one payment may write off at most: a setting in the base currency, by default what a firm takes."""

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import send

pytestmark = pytest.mark.usefixtures("sound")


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
