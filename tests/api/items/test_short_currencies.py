"""What is short is in the line's currency, whatever the items and the books are in, and means nothing alone."""

from decimal import Decimal

import pytest
import sqlalchemy as sa

from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import confirm, entry, send
from webapp.database.sessions import db
from webapp.models import LinePayment

pytestmark = pytest.mark.usefixtures("sound")
# base, line's currency and amount, items' currency and amount, short, what is short in base, what is realised:
# the items' worth less that of the line and of what is short of it.
CASES = {
    "pounds pay dollars": (
        *("GBP", {"USD": "1.25"}, ("GBP", "540.00"), ("USD", "700.00"), ("8.00", None)),
        *("8.00", "12.00"),
    ),
    "euros pay dollars in books of pounds": (
        *("GBP", {"USD": "1.25", "EUR": "1.20"}, ("EUR", "630.00"), ("USD", "700.00"), ("12.00", None)),
        *("10.00", "25.00"),
    ),
    "dollars pay yen of books in yen": (
        *("JPY", {"USD": "0.0080"}, ("USD", "80.00"), ("JPY", "10500"), ("4.00", None)),
        *("500", "0"),
    ),
    "short in the items' currency": (
        *("GBP", {"USD": "1.25"}, ("GBP", "540.00"), ("USD", "700.00"), ("10.00", "USD")),
        *("8.00", "12.00"),
    ),
    "euros pay dollars in books of dinars": (
        *("KWD", {"USD": "3.2", "EUR": "3.0"}, ("EUR", "90.00"), ("USD", "100.00"), ("3.00", None)),
        *("1.000", "0.250"),
    ),
}
FEE = {"amount": "8.00", "as": "FEE"}


@pytest.fixture(params=CASES)
def case(request, ada, ben, bank, books):
    base, rates, *others = CASES[request.param]
    bank.rebase(base)
    for currency, rate in rates.items():
        bank.quote("2026-03-01", currency, rate)
        bank.quote("2026-03-20", currency, rate)
    keep_items(ada, books.account_id("Trade receivables"))
    (currency, amount), (owed_in, owed), *expected = others
    owe(ben, books, owed, bank.merchant("Acme"), currency=owed_in)
    line = send(bank, bank.open("Giro", currency), "2026-03-20", amount)
    return line, *expected


@pytest.mark.parametrize("kind", ["FEE", "DISCOUNT", "WRITE_OFF"])
def test_what_is_short_is_worth_what_it_says_in_the_currency_of_the_line(ben, books, bank, case, kind):
    line, (short, currency), worth, realised = case
    account = "Bank charges" if kind == "FEE" else "Other income"
    body = {"amount": short, "as": kind, "accountId": books.account_id(account)}
    if currency is not None:
        body["currency"] = currency
    changes = {"settles": [{"itemId": items(ben)[0]["id"]}], "short": body, "force": True}
    answer = ben.patch(f"/api/transactions/{line}", json=changes)
    assert answer.status_code == 200, answer.json
    said = answer.json["transaction"]["short"]
    assert (said["amount"], said["currency"]) == (short, currency or answer.json["transaction"]["currency"])
    confirm(ben, line)
    assert items(ben) == []
    posted = {
        each["accountName"]: Decimal(each["amountBase"])
        for found in ben.get("/api/journal-entries").json["entries"]
        if found["source"] == "settlement"
        for each in found["postings"]
    }
    assert posted[account] == Decimal(worth)
    own = [
        Decimal(each["amountBase"])
        for each in entry(ben, line)["postings"]
        if each["accountName"] == "Realised exchange differences"
    ]
    assert posted.get("Realised exchange differences", 0) + sum(own) == Decimal(realised)


def test_a_third_currency_is_refused(ben, case):
    line, *_ = case
    short = {"amount": "1", "as": "FEE", "currency": "CHF"}
    body = {"settles": [{"itemId": items(ben)[0]["id"]}], "short": short, "force": True}
    refused = ben.patch(f"/api/transactions/{line}", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "shortfall")
    assert "short.currency" in refused.json["fields"]


def test_what_was_stored_before_it_had_a_currency_is_in_that_of_the_items(ada, ben, bank, books):
    """Books that are older than the currency have drafts with a fee in dollars, which stay so."""
    for day in ("2026-03-01", "2026-03-20"):
        bank.quote(day, "USD", "1.25")
    keep_items(ada, books.account_id("Trade receivables"))
    owe(ben, books, "700.00", bank.merchant("Acme"), currency="USD")
    line = send(bank, bank.open("Giro", "EUR"), "2026-03-20", "553.60")
    short = {"amount": "8.00", "as": "FEE", "currency": "USD"}
    body = {"settles": [{"itemId": items(ben)[0]["id"]}], "short": short}
    assert ben.patch(f"/api/transactions/{line}", json=body).status_code == 200

    def without_currency():
        [stored] = db.session.scalars(sa.select(LinePayment))
        stored.short = {name: value for name, value in stored.short.items() if name != "currency"}

    bank.ask(without_currency)
    said = ben.get(f"/api/transactions/{line}").json["transaction"]["short"]
    assert (said["amount"], said["currency"]) == ("8.00", "USD")
    confirm(ben, line)
    assert items(ben) == []
    [fee] = [
        each["amountBase"]
        for found in ben.get("/api/journal-entries").json["entries"]
        for each in found["postings"]
        if each["accountName"] == "Bank charges"
    ]
    assert fee == "6.40"


@pytest.fixture
def line(ada, ben, books, bank, giro):
    keep_items(ada, books.account_id("Trade receivables"))
    owe(ben, books, "400.00", bank.merchant("Acme"))
    return send(bank, giro, "2026-03-20", "392.00")


@pytest.mark.parametrize(
    "changes",
    [
        {"short": FEE},
        {"short": None},
        {"short": FEE, "description": "Other"},
        {"short": FEE, "settles": []},
        {"short": FEE, "settles": None},
    ],
    ids=str,
)
def test_short_without_items_is_refused_and_nothing_is_changed(ben, line, changes):
    before = ben.get(f"/api/transactions/{line}").json
    refused = ben.patch(f"/api/transactions/{line}", json=changes)
    assert (refused.status_code, refused.json["code"]) == (422, "short_alone")
    assert refused.json["fields"]["short"] == [refused.json["error"]]
    assert ben.get(f"/api/transactions/{line}").json == before


def test_a_line_may_be_sent_back_as_it_was_read(ben, line):
    read = ben.get(f"/api/transactions/{line}").json["transaction"]
    same = {"settles": read["settles"], "short": read["short"], "description": "Other"}
    assert ben.patch(f"/api/transactions/{line}", json=same).status_code == 200
    [invoice] = items(ben)
    body = {"settles": [{"itemId": invoice["id"]}], "short": FEE}
    assert ben.patch(f"/api/transactions/{line}", json=body).json["transaction"]["short"]["as"] == "FEE"
