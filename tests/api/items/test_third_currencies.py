"""A line pays items in a third currency, and the rest of it is owed in the base currency: figures by hand."""

from decimal import Decimal

import pytest

from tests.fixtures.banks import Bank
from tests.fixtures.helpers.owed import differences, items, owe
from tests.fixtures.turns import whose_turn

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
        self.fa_id = self.bank.open("Pounds", "GBP")
        self.party = self.bank.merchant("Halden")

    def account_id(self, name):
        return self.ids[name]

    def claim(self, amount, currency="USD", party=None):
        owe(self.person, self, amount, party or self.party, day=DAYS[0], currency=currency)
        return max(each["id"] for each in items(self.person))

    def legs(self):
        entry, *_ = self.person.get("/api/journal-entries?source=bank_feed").json["entries"]
        return [
            (each["accountName"], Decimal(each["amount"]), each["currency"], Decimal(each["amountBase"]))
            for each in entry["postings"]
        ]

    def push(self, amount, kind="added"):
        """Push a line of the bank, or what it changed of it; answers the line."""
        row = {"providerTransactionId": "P1", "bookedOn": DAYS[1], "amount": amount, "currency": "GBP"}
        row |= {"pending": False, "description": "Payout"}
        url = f"/api/feeds/accounts/{self.fa_id}/transactions"
        (result,) = self.person.post(url, json={"batchId": amount, kind: [row]}).json["results"]
        return result["transactionId"]

    def pay(self, line, item, splits):
        body = {
            "splits": [
                {"accountId": self.ids[name], "amount": amount, **({"orgMerchantId": party} if party else {})}
                for name, amount, party in splits
            ],
            "settles": [{"itemId": each} for each in item],
        }
        return self.person.patch(f"/api/transactions/{line}", json=body)


def pytest_generate_tests(metafunc):
    if "base" in metafunc.fixturenames:
        metafunc.parametrize("base", whose_turn(metafunc.config, [*BASES]))


@pytest.fixture
def pounds(app, keeps_in, base):
    return Pounds(app, keeps_in(base), base)


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


# By hand, of 1,073.00 pounds that pay 1,100.00 dollars, 95.00 francs and a claim in base: the legs of these in base
# and of the tax; what the entry realises, and what the two settlements abroad do.
FRANCS = {"JPY": "0.0055", "EUR": "0.95", "KWD": "2.75"}
SEVERAL = {
    "JPY": ("17000", ["-174000", "-17400", "-6000", "-17000", "-200"], ["-2125", "-127"]),
    "EUR": ("100.00", ["-1023.53", "-102.35", "-35.29", "-100.00", "-1.18"], ["-23.53", "-2.35"]),
    "KWD": ("34.000", ["-348.000", "-34.800", "-12.000", "-34.000", "-0.400"], ["-4.250", "-0.255"]),
}
PARTS = ["870.00", "87.00", "30.00", "86.00"]


@pytest.fixture
def payout(pounds):
    """A line that pays three parties in three currencies, with a tax; answers it with the parties and the items."""
    for day in DAYS:
        pounds.bank.quote(day, "CHF", FRANCS[pounds.base])
    parties = [pounds.party, pounds.bank.merchant("Fjord"), pounds.bank.merchant("Kato")]
    owed = [("1100.00", "USD"), ("95.00", "CHF"), (SEVERAL[pounds.base][0], pounds.base)]
    paid = [pounds.claim(*each, party) for each, party in zip(owed, parties, strict=True)]
    line = pounds.push("1073.00")
    names = ["Trade receivables", "Trade receivables", "VAT payable", "Trade receivables"]
    splits = list(zip(names, PARTS, [*parties[:2], None, parties[2]], strict=True))
    answer = pounds.pay(line, paid, splits)
    assert answer.status_code == 200, answer.json
    return line, parties, paid


def shown(pounds, line):
    return [
        each["amount"]
        for each in pounds.person.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    ]


def in_base(pounds):
    return sorted(base for *_, base in pounds.legs()[1:])


def test_one_line_pays_several_parties_in_several_currencies(pounds, payout):
    line, _, paid = payout
    _, base, settled = SEVERAL[pounds.base]
    assert (shown(pounds, line), in_base(pounds)) == (PARTS, sorted(map(Decimal, base)))
    # Rates that come again, an edit of the draft and a form that sends its parts again leave it as it is.
    rate = {"day": DAYS[1], "currency": "GBP"}
    for each in ("1", pounds.rates["GBP"]):
        pounds.person.put("/api/exchange-rates", json={"rates": [{**rate, "unitsPerBase": each}]})
    sent = pounds.person.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    for body in ({"projectId": pounds.bank.project("Film")}, {"splits": sent}):
        assert pounds.person.patch(f"/api/transactions/{line}", json=body).status_code == 200
    assert (shown(pounds, line), in_base(pounds)) == (PARTS, sorted(map(Decimal, base)))

    confirmed = pounds.person.post("/api/transactions/confirm", json={"ids": [line]}).json["results"]
    assert confirmed[0]["status"] == "EXECUTED", confirmed
    assert items(pounds.person) == []
    realised = [Decimal(each) for each in (base[-1], *settled)]
    assert sorted(map(Decimal, differences(pounds.person))) == sorted(realised)
    # The correction of a posted line keeps what it paid.
    project = {"projectId": pounds.bank.project("Boat")}
    assert pounds.person.patch(f"/api/transactions/{line}", json=project).status_code == 200
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert (shown(pounds, line), items(pounds.person)) == (PARTS, [])
    assert sorted(map(Decimal, differences(pounds.person))) == sorted(realised)

    entry = pounds.person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
    assert pounds.person.post(f"/api/journal-entries/{entry}/void", json={"reason": "x"}).status_code == 200
    assert {each["id"] for each in items(pounds.person)} == set(paid)
    assert (shown(pounds, line), in_base(pounds)) == (PARTS, sorted(map(Decimal, base)))
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert (items(pounds.person), pounds.bank.broken()) == ([], [])


def test_such_a_line_keeps_what_it_pays_over_a_merge_and_an_undo(pounds, payout):
    line, (first, second, _), paid = payout
    agent = pounds.person.with_scopes("read", "draft", "confirm")
    assert agent.patch(f"/api/transactions/{line}", json={"settles": []}).status_code == 200
    assert [
        each["amount"] for each in agent.get(f"/api/transactions/{line}").json["transaction"]["splits"]
    ] == PARTS
    asked = {"tokenId": agent.token_id, "since": "2026-01-02T00:00:00Z"}
    pages = pounds.person.browser()
    preview = pages.post("/api/action-requests/undo/preview", json=asked).json
    assert (
        pages.post("/api/action-requests/undo", json={**asked, "digest": preview["digest"]}).status_code
        == 200
    )
    for way in ("merge", "separate"):
        body = {"mergedIntoId": first} if way == "merge" else {}
        assert pounds.person.post(f"/api/merchants/{second}/{way}", json=body).status_code == 200
        assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
        assert (items(pounds.person), shown(pounds, line)) == ([], PARTS)
        entry = pounds.person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
        if way == "merge":
            body = {"reason": "x"}
            assert pounds.person.post(f"/api/journal-entries/{entry}/void", json=body).status_code == 200
            assert {each["id"] for each in items(pounds.person)} == set(paid)
    assert pounds.bank.broken() == []


def test_one_party_is_paid_in_its_currencies_by_the_worth_of_each(pounds):
    paid = [
        pounds.claim("110.00"),
        pounds.claim("1100.00", "GBP"),
        pounds.claim("2200.00", "USD", pounds.bank.merchant("Fjord")),
    ]
    other = max(each["orgMerchantId"] for each in items(pounds.person))
    line = pounds.bank.send(DAYS[1], "2932.00", "All of it")
    receivables = "Trade receivables"
    splits = (
        (receivables, "1100.00", pounds.party),
        (receivables, "1745.00", other),
        (receivables, "87.00", pounds.party),
    )
    answer = pounds.pay(line, paid, splits)
    assert answer.status_code == 200, answer.json
    legs = [(amount, currency) for _, amount, currency, _ in pounds.legs()[1:]]
    assert legs == [(Decimal(-1100), "GBP"), (Decimal(-2200), "USD"), (Decimal(-110), "USD")]
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert (items(pounds.person), pounds.bank.broken()) == ([], [])


def test_a_bank_that_changes_such_a_line_leaves_what_each_party_pays(pounds, payout):
    line, *_ = payout
    pounds.push("1070.00", "modified")
    assert shown(pounds, line) == [*PARTS, "-3.00"]
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert (items(pounds.person), pounds.bank.broken()) == ([], [])


def test_a_bank_that_changes_a_line_changes_the_rate_at_which_it_pays_one_item(pounds):
    item = pounds.claim("1100.00")
    line = pounds.push("900.00")
    settles = [{"itemId": item}]
    answer = pounds.person.patch(f"/api/transactions/{line}", json={"settles": settles, "force": True})
    assert answer.status_code == 200, answer.json
    pounds.push("870.00", "modified")
    worth = {"JPY": "174000", "EUR": "1023.53", "KWD": "348.000"}[pounds.base]
    assert pounds.legs()[1][1:] == (Decimal(-1100), "USD", -Decimal(worth))
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert (items(pounds.person), pounds.bank.broken()) == ([], [])


def test_beside_one_party_abroad_others_are_paid_in_the_lines_currency(pounds):
    other = pounds.bank.merchant("Fjord")
    paid = [pounds.claim("1100.00"), pounds.claim("87.00", "GBP", other)]
    line = pounds.bank.send(DAYS[1], "957.00", "Payout")
    splits = ("Trade receivables", "870.00", pounds.party), ("Trade receivables", "87.00", other)
    assert pounds.pay(line, paid, splits).status_code == 200
    assert pounds.person.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert items(pounds.person) == []
    assert pounds.bank.broken() == []
