"""Taxes are owed in the base currency: every writer of a counter leg, in bases of 0, 2 and 3 digits."""

from decimal import Decimal
from io import BytesIO

import pytest

from tests.fixtures import invoices
from tests.fixtures.banks import Bank
from tests.fixtures.helpers.documents import filed, sent

# The units of a euro's books that one unit of the base is worth on three days.
RATES = {
    "GBP": ("1.18", "1.15", "1.16"),
    "JPY": ("0.0063", "0.0061", "0.0064"),
    "KWD": ("2.98", "3.01", "2.95"),
}
STEPS = {"GBP": Decimal("0.01"), "JPY": Decimal(1), "KWD": Decimal("0.001")}
DAYS = ("2026-03-04", "2026-03-31", "2026-04-15")
VAT = {
    "1300": "VAT receivable",
    "2200": "VAT payable",
    "2300": "Payroll taxes payable",
    "2400": "Income tax payable",
}


class Foreign:
    """Books in some base currency that have a bank account in euros."""

    def __init__(self, person, bank, base):
        self.person, self.bank, self.base = person, bank, base
        for day, rate in zip(DAYS, RATES[base], strict=True):
            bank.quote(day, "EUR", rate)
        bank.open("Euros", "EUR")
        listed = person.get("/api/accounts?limit=200").json["accounts"]
        self.ids = {each["name"]: each["id"] for each in listed}
        self.accounts = {each["code"]: each for each in listed}

    def worth(self, amount, rate=None):
        """What an amount in euros is in base on the first day, to the base's own digits."""
        return (Decimal(amount) / Decimal(rate or RATES[self.base][0])).quantize(
            STEPS[self.base], "ROUND_HALF_UP"
        )

    def bill(self, day=DAYS[0]):
        """File a bill in euros with its tax."""
        sums = {"net": "500.00", "tax": "90.00", "total": "590.00"}
        return filed(self.person, documentType="BILL", sender="Mill", currency="EUR", issuedOn=day, **sums)

    def send(self, amount, day=DAYS[0], text="A line"):
        return self.bank.send(day, amount, text)

    def patch(self, line, **changes):
        answer = self.person.patch(f"/api/transactions/{line}", json=changes)
        assert answer.status_code == 200, answer.json
        return answer.json["transaction"]

    def legs(self, entry_id):
        entry = self.person.get(f"/api/journal-entries/{entry_id}").json["entry"]
        assert sum(Decimal(each["amountBase"] or 0) for each in entry["postings"]) == 0
        return {
            each["accountName"]: (Decimal(each["amount"]), each["currency"], Decimal(each["amountBase"] or 0))
            for each in entry["postings"]
        }

    def of_line(self, line):
        entry_id = self.person.get(f"/api/transactions/{line}").json["transaction"]["journalEntryId"]
        return self.legs(entry_id)

    def confirm(self, line):
        answer = self.person.post(f"/api/transactions/{line}/confirm")
        assert answer.status_code == 200, answer.json
        return answer.json


@pytest.fixture(params=sorted(RATES))
def foreign(request, app, keeps_in):
    person = keeps_in(request.param)
    return Foreign(person, Bank(app, person), request.param)


def test_the_chart_keeps_taxes_in_base(foreign):
    for code, name in VAT.items():
        account = foreign.accounts[code]
        assert (account["name"], account["currency"], account["isRevalued"]) == (name, foreign.base, False)


def test_the_tax_of_a_bill_is_its_share_in_base(foreign):
    bill = foreign.bill()
    answer = foreign.person.post(
        f"/api/documents/{bill['id']}/entry", json={"accountId": foreign.ids["Rent"], "post": True}
    )
    assert answer.status_code == 201, answer.json
    legs = foreign.legs(answer.json["entry"]["id"])
    owed = foreign.worth("590.00")
    amount, currency, base = legs["VAT receivable"]
    assert (currency, amount, legs["Trade payables"][2]) == (foreign.base, base, -owed)
    assert abs(base - owed * 90 / 590) < STEPS[foreign.base]
    shown = foreign.person.get(f"/api/documents/{bill['id']}/booking").json["booking"]["postings"]
    assert [each["amount"] for each in shown if each["kind"] == "TAX"] == [f"{amount}"]


@pytest.mark.parametrize("day", [DAYS[0], "2026-01-07"], ids=["with a rate", "without a rate"])
def test_the_tax_of_a_bill_at_a_rate_of_its_own_is_its_share_of_that(foreign, day):
    bill = foreign.bill(day)
    own = foreign.worth(Decimal("590.00") * Decimal("1.02"))
    body = {"accountId": foreign.ids["Rent"], "amountBase": str(own)}
    answer = foreign.person.post(f"/api/documents/{bill['id']}/entry", json=body)
    assert answer.status_code == 201, answer.json
    entry_id = answer.json["entry"]["id"]
    legs = foreign.legs(entry_id)
    amount, currency, base = legs["VAT receivable"]
    assert (currency, amount) == (foreign.base, base)
    assert abs(base - own * 90 / 590) < STEPS[foreign.base]
    assert (legs["Trade payables"][2], legs["Rent"][2]) == (-own, own - base)

    rate = {"day": day, "currency": "EUR", "unitsPerBase": str(Decimal(RATES[foreign.base][0]) * 2)}
    assert foreign.person.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200
    assert foreign.legs(entry_id) == legs


def test_an_account_without_currency_gets_tax_in_base_too(foreign):
    taxes = foreign.bank.account("Taxes of a friend", "ASSET")
    bill = foreign.bill()
    body = {"accountId": foreign.ids["Rent"], "taxAccountId": taxes}
    entry = foreign.person.post(f"/api/documents/{bill['id']}/entry", json=body).json["entry"]
    assert foreign.legs(entry["id"])["Taxes of a friend"][1] == foreign.base

    line = foreign.send("-590.00")
    answer = foreign.person.post(f"/api/transactions/{line}/splits", json={"documentId": bill["id"], **body})
    assert answer.status_code == 200, answer.json
    assert foreign.of_line(line)["Taxes of a friend"][1] == foreign.base
    assert [each["amount"] for each in answer.json["transaction"]["splits"]] == ["-500.00", "-90.00"]


def test_a_bill_waits_for_its_rate_and_then_has_its_share(foreign):
    bill = foreign.bill("2026-01-07")
    answer = foreign.person.post(
        f"/api/documents/{bill['id']}/entry", json={"accountId": foreign.ids["Rent"]}
    )
    assert answer.status_code == 201, answer.json
    assert foreign.legs(answer.json["entry"]["id"])["VAT receivable"][:2] == (Decimal("90.00"), "EUR")

    rate = {"day": "2026-01-07", "currency": "EUR", "unitsPerBase": RATES[foreign.base][0]}
    assert foreign.person.put("/api/exchange-rates", json={"rates": [rate]}).status_code == 200

    amount, currency, base = foreign.legs(answer.json["entry"]["id"])["VAT receivable"]
    assert (currency, amount) == (foreign.base, base)
    assert abs(base - foreign.worth("590.00") * 90 / 590) < STEPS[foreign.base]


def test_tax_that_is_stated_in_base_is_that_amount(foreign):
    stated = foreign.worth("22.50") + STEPS[foreign.base] * 7
    total = (
        f'<cac:TaxTotal><cbc:TaxAmount currencyID="{foreign.base}">{stated}</cbc:TaxAmount></cac:TaxTotal>'
    )
    code = f"<cbc:TaxCurrencyCode>{foreign.base}</cbc:TaxCurrencyCode>"
    text = invoices.ubl().decode().replace("<cac:LegalMonetaryTotal>", f"{total}<cac:LegalMonetaryTotal>")
    text = text.replace("</cbc:DocumentCurrencyCode>", f"</cbc:DocumentCurrencyCode>{code}")
    foreign.bank.quote("2026-03-02", "EUR", RATES[foreign.base][0])
    document = sent(foreign.person, text.encode(), "invoice.xml").json["document"]
    assert document["invoice"]["otherTaxes"] == [{"currency": foreign.base, "tax": f"{stated}"}]

    body = {"accountId": foreign.ids["Rent"], "post": True}
    entry = foreign.person.post(f"/api/documents/{document['id']}/entry", json=body).json["entry"]
    legs = foreign.legs(entry["id"])
    assert legs["VAT receivable"] == (stated, foreign.base, stated)
    assert legs["Trade payables"][2] == -foreign.worth("172.50")

    line = foreign.send("-172.50")
    body = {"documentId": document["id"], "accountId": foreign.ids["Rent"]}
    assert foreign.person.post(f"/api/transactions/{line}/splits", json=body).status_code == 200
    assert foreign.of_line(line)["VAT receivable"] == (stated, foreign.base, stated)


def test_a_split_and_an_account_take_the_share_of_their_line(foreign):
    line = foreign.send("-59.00")
    parts = [
        {"accountId": foreign.ids["Rent"], "amount": "-50.00"},
        {"accountId": foreign.ids["VAT receivable"], "amount": "-9.00"},
    ]
    shown = foreign.patch(line, splits=parts)
    assert [each["amount"] for each in shown["splits"]] == ["-50.00", "-9.00"]
    written = foreign.of_line(line)
    assert written["VAT receivable"][1] == foreign.base
    foreign.patch(line, projectId=foreign.bank.project("Film"))
    assert foreign.of_line(line) == written
    foreign.confirm(line)
    assert foreign.of_line(line) == written

    whole = foreign.send("-41.00")
    foreign.patch(whole, accountId=foreign.ids["Income tax payable"])
    worth = foreign.worth("41.00")
    assert foreign.of_line(whole)["Income tax payable"] == (worth, foreign.base, worth)
    foreign.patch(whole, accountId=foreign.ids["Rent"])
    assert foreign.of_line(whole)["Rent"] == (Decimal("41.00"), "EUR", worth)


def test_a_correction_takes_the_share_at_the_rate_of_the_original(foreign):
    line = foreign.send("-59.00")
    foreign.patch(line, accountId=foreign.ids["Rent"])
    foreign.confirm(line)
    foreign.patch(line, accountId=foreign.ids["Payroll taxes payable"])
    done = foreign.confirm(line)
    worth = foreign.worth("59.00")
    legs = foreign.legs(done["result"]["journalEntryIds"][0])
    assert legs["Payroll taxes payable"] == (worth, foreign.base, worth)
    assert legs["Rent"] == (Decimal("-59.00"), "EUR", -worth)
    fresh = foreign.person.post(
        f"/api/journal-entries/{foreign.person.get(f'/api/transactions/{line}').json['transaction']['journalEntryId']}"
        "/void",
        json={"reason": "Again"},
    )
    assert fresh.status_code == 200, fresh.json
    assert foreign.of_line(line)["Payroll taxes payable"] == (worth, foreign.base, worth)


@pytest.mark.parametrize("trigger", ["TRANSACTION_INGESTED", "MANUAL_APPLY"])
def test_rules_book_the_share_of_a_line(foreign, trigger):
    rule = {
        "name": "Tax office", "trigger": trigger,
        "conditions": {"conditions": [{"field": "DESCRIPTION", "operator": "CONTAINS", "value": "Tax office"}]},
        "effects": [{"kind": "SET_ACCOUNT", "accountId": foreign.ids["VAT payable"]}],
    }  # fmt: skip
    answer = foreign.person.post("/api/automations/rules", json=rule)
    assert answer.status_code == 201, answer.json
    table = "Date;Text;Amount\n2026-03-04;Tax office;-59.00\n"
    mapping = (
        '{"delimiter": ";", "header": 0, "date": "Date", "dateFormat": "%Y-%m-%d", "amount": "Amount",'
        ' "description": "Text", "currency": "EUR"}'
    )
    sent_ = foreign.person.post(
        "/api/feeds/imports",
        data={
            "file": (BytesIO(table.encode()), "a.csv"),
            "mapping": mapping,
            "faId": str(foreign.bank.fa_id),
        },
        content_type="multipart/form-data",
    )
    assert sent_.status_code == 201, sent_.json
    (line,) = foreign.person.get("/api/transactions").json["transactions"]
    if trigger == "MANUAL_APPLY":
        address = f"/api/automations/rules/{answer.json['rule']['id']}"
        digest = foreign.person.post(f"{address}/preview", json={}).json["preview"]["digest"]
        applied = foreign.person.post(f"{address}/apply", json={"digest": digest})
        assert applied.status_code == 200, applied.json
    worth = foreign.worth("59.00")
    assert foreign.of_line(line["id"])["VAT payable"] == (worth, foreign.base, worth)
    if trigger == "MANUAL_APPLY":
        run = foreign.person.get("/api/automations/runs").json["runs"][0]["id"]
        assert foreign.person.post(f"/api/automations/runs/{run}/undo", json={}).status_code == 200
        assert foreign.of_line(line["id"])["Uncategorised expenses"] == (Decimal("59.00"), "EUR", worth)


def test_a_foreign_leg_by_hand_is_refused(foreign):
    body = {
        "effectiveAt": DAYS[0],
        "postings": [
            {"accountId": foreign.ids["VAT receivable"], "amount": "90.00", "currency": "EUR"},
            {"accountId": foreign.ids["Rent"], "amount": "-90.00", "currency": "EUR"},
        ],
    }
    answer = foreign.person.post("/api/journal-entries", json=body)
    assert (answer.status_code, answer.json["code"]) == (422, "account_currency")


def test_settled_in_base_the_account_is_nil_after_three_revaluations(foreign):
    bill = foreign.bill()
    body = {"accountId": foreign.ids["Rent"], "post": True}
    entry = foreign.person.post(f"/api/documents/{bill['id']}/entry", json=body).json["entry"]
    tax = foreign.legs(entry["id"])["VAT receivable"][0]
    local = foreign.bank.at(foreign.bank.open("Local", foreign.base))
    for day in ("2026-03-31", "2026-04-15", "2026-04-20"):
        answer = foreign.person.post("/api/revaluations", json={"asOf": day})
        assert answer.status_code == 200, answer.json
        if day == "2026-03-31":
            line = local.send("2026-04-09", f"{tax}", "Refund")
            foreign.patch(line, accountId=foreign.ids["VAT receivable"])
            foreign.confirm(line)
    (account,) = (
        each
        for each in foreign.person.get("/api/accounts?limit=200").json["accounts"]
        if each["name"] == "VAT receivable"
    )
    assert Decimal(account["balance"]) == Decimal(account["balanceBase"]) == 0
    assert foreign.bank.broken() == []
