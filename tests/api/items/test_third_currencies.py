"""A line pays items in a third currency, and the rest of it is owed in the base currency: figures by hand."""

from decimal import Decimal

import pytest

from tests.fixtures.banks import Bank
from tests.fixtures.helpers.owed import differences, items, owe

# Of each base what a pound and a dollar are in it, and by hand: what 900.00 pounds are, the 30.00 of tax in them, the
# claim of 1,100.00 dollars, and what the 870.00 pounds that pay it realise.
BASES = {
    "JPY": ({"GBP": "0.005", "USD": "0.0064"}, ("180000", "6000", "171875", "2125")),
    "EUR": ({"GBP": "0.85", "USD": "1.10"}, ("1058.82", "35.29", "1000.00", "23.53")),
    "KWD": ({"GBP": "2.5", "USD": "3.2"}, ("360.000", "12.000", "343.750", "4.250")),
}
DAYS = ("2026-03-04", "2026-03-11")


class Pounds:
    """Books in some base with a bank account in pounds, and a claim in dollars."""

    def __init__(self, app, person, base):
        self.person, self.bank, self.base = person, Bank(app, person), base
        self.rates, figures = BASES[base]
        self.line_base, self.tax_base, self.claim_base, self.gain = map(Decimal, figures)
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.ids = {each["name"]: each["id"] for each in listed}
        for code, rate in self.rates.items():
            for day in DAYS:
                self.bank.quote(day, code, rate)
        self.bank.open("Pounds", "GBP")
        self.party = self.bank.merchant("Halden")

    def account_id(self, name):
        return self.ids[name]

    def claim(self, amount, currency="USD", party=None):
        owe(self.person, self, amount, party or self.party, day=DAYS[0], currency=currency)
        return max(each["id"] for each in items(self.person))

    def legs(self):
        (entry,) = self.person.get("/api/journal-entries?source=bank_feed").json["entries"]
        return [
            (each["accountName"], Decimal(each["amount"]), each["currency"], Decimal(each["amountBase"]))
            for each in entry["postings"]
        ]

    def pay(self, line, item, splits):
        body = {
            "splits": [
                {"accountId": self.ids[name], "amount": amount, **({"orgMerchantId": party} if party else {})}
                for name, amount, party in splits
            ],
            "settles": [{"itemId": each} for each in item],
        }
        return self.person.patch(f"/api/transactions/{line}", json=body)


@pytest.fixture(params=BASES)
def pounds(request, app, keeps_in):
    return Pounds(app, keeps_in(request.param), request.param)


def test_the_rest_of_a_line_that_pays_abroad_is_owed_in_base(pounds):
    item = pounds.claim("1100.00")
    line = pounds.bank.send(DAYS[1], "900.00", "Paid")
    splits = ("Trade receivables", "870.00", pounds.party), ("VAT payable", "30.00", None)
    answer = pounds.pay(line, [item], splits)
    assert answer.status_code == 200, answer.json
    assert [each["amount"] for each in answer.json["transaction"]["splits"]] == ["870.00", "30.00"]
    expected = [
        ("Pounds", Decimal(900), "GBP", pounds.line_base),
        ("Trade receivables", Decimal(-1100), "USD", pounds.tax_base - pounds.line_base),
        ("VAT payable", -pounds.tax_base, pounds.base, -pounds.tax_base),
    ]
    assert pounds.legs() == expected

    # A later edit, and a rate that comes again, leave it as it is.
    project = pounds.bank.project("Film")
    assert pounds.person.patch(f"/api/transactions/{line}", json={"projectId": project}).status_code == 200
    rate = {"day": DAYS[1], "currency": "GBP", "unitsPerBase": pounds.rates["GBP"]}
    pounds.person.put("/api/exchange-rates", json={"rates": [{**rate, "unitsPerBase": "1"}]})
    pounds.person.put("/api/exchange-rates", json={"rates": [rate]})
    assert pounds.legs() == expected

    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert pounds.legs() == expected
    assert items(pounds.person) == []
    assert [Decimal(each) for each in differences(pounds.person)] == [-pounds.gain]
    shown = pounds.person.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    assert [each["amount"] for each in shown] == ["870.00", "30.00"]
    assert pounds.bank.broken() == []

    entry = pounds.person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert (
        pounds.person.post(f"/api/journal-entries/{entry}/void", json={"reason": "Wrong"}).status_code == 200
    )
    assert [each["open"] for each in items(pounds.person)] == ["1100.00"]
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert items(pounds.person) == []
    assert pounds.bank.broken() == []


def test_a_line_pays_one_party_abroad_and_says_so_of_two(pounds):
    other = pounds.bank.merchant("Fjord")
    paid = [pounds.claim("1100.00"), pounds.claim("110.00", party=other)]
    line = pounds.bank.send(DAYS[1], "957.00", "Payout")
    before = pounds.person.get(f"/api/transactions/{line}").json
    splits = ("Trade receivables", "870.00", pounds.party), ("Trade receivables", "87.00", other)
    refused = pounds.pay(line, paid, splits)
    assert (refused.status_code, refused.json["code"]) == (422, "payment_does_not_fit")
    assert "one account and party in another currency than its own" in refused.json["error"]
    assert pounds.person.get(f"/api/transactions/{line}").json == before


def test_beside_one_party_abroad_others_are_paid_in_the_lines_currency(pounds):
    other = pounds.bank.merchant("Fjord")
    paid = [pounds.claim("1100.00"), pounds.claim("87.00", "GBP", other)]
    line = pounds.bank.send(DAYS[1], "957.00", "Payout")
    splits = ("Trade receivables", "870.00", pounds.party), ("Trade receivables", "87.00", other)
    assert pounds.pay(line, paid, splits).status_code == 200
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert items(pounds.person) == []
    assert pounds.bank.broken() == []
