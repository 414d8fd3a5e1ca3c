"""Realised exchange differences on accounts without items: the act that brings a balance to nil realises what is left.

Books from before items have such receivables and payables; where items are kept, only settlements realise
(tests/api/items/test_settling_items.py).
"""

import pytest

from tests.fixtures.helpers.owed import keep_no_items

INVOICED, PAID, LATER = "2026-03-02", "2026-03-20", "2026-04-10"


@pytest.fixture(autouse=True)
def without_items(ada):
    keep_no_items(ada)


@pytest.fixture
def rates(bank):
    bank.quote(INVOICED, "USD", "1.1")
    bank.quote("2026-03-19", "USD", "1.2")
    bank.quote(LATER, "USD", "1.25")
    yield
    assert bank.broken() == []


@pytest.fixture
def write(ada):
    ids = {each["name"]: each["id"] for each in ada.get("/api/accounts?limit=200").json["accounts"]}

    def written(day, amount, debit, credit, currency="USD"):
        postings = [
            {"accountId": ids[name], "amount": sign + amount, "currency": currency}
            for name, sign in ((debit, ""), (credit, "-"))
        ]
        body = {"effectiveAt": day, "description": "By hand", "postings": postings, "post": True}
        answer = ada.post("/api/journal-entries", json=body)
        assert answer.status_code == 201, answer.json
        return answer.json["entry"]["id"]

    return written


@pytest.fixture
def invoice(rates, write):
    """Dan owes 1,100 USD, which are 1,000.00 EUR."""
    return write(INVOICED, "1100.00", "Trade receivables", "Sales of services")


def realised(person):
    found = person.get("/api/journal-entries?source=exchange").json["entries"]
    return [
        (each["effectiveAt"][:10], *(leg["amountBase"] for leg in each["postings"]))
        for each in reversed(found)
    ]


def named(person, name):
    return next(
        each for each in person.get("/api/accounts?limit=200").json["accounts"] if each["name"] == name
    )


def left(person, name="Trade receivables"):
    """Give an account's balance in the base currency, and the sum of what it has in dollars."""
    account = named(person, name)
    lines = person.get(f"/api/accounts/{account['id']}/postings?limit=200").json["postings"]
    return account["balanceBase"], f"{sum(float(each['amount']) for each in lines):.2f}"


def test_an_invoice_that_is_paid_at_another_rate_leaves_nothing(ada, invoice, write):
    write(PAID, "1100.00", "Petty cash", "Trade receivables")
    assert left(ada) == ("0.00", "0.00")
    (entry,) = ada.get("/api/journal-entries?source=exchange").json["entries"]
    assert [
        (leg["accountName"], leg["amount"], leg["currency"], leg["amountBase"]) for leg in entry["postings"]
    ] == [
        ("Trade receivables", "0.00", "USD", "-83.33"),
        ("Realised exchange differences", "83.33", "EUR", "83.33"),
    ]
    assert (entry["effectiveAt"][:10], entry["status"], entry["origin"]["kind"]) == (PAID, "POSTED", "system")
    result = ada.get("/api/reports/profit-and-loss?from=2026-01-01&to=2026-12-31").json
    assert result["profitAndLoss"]["result"]["amount"] == "916.67"
    assert ada.post("/api/revaluations", json={"asOf": LATER}).json["result"]["journalEntryIds"]
    assert left(ada) == ("0.00", "0.00")


def test_what_the_bank_pays_realises_it_too(ada, bank, invoice):
    bank.open("Dollars", "USD")
    line = bank.send(PAID, "1100.00", "Dan")
    ada.patch(f"/api/transactions/{line}", json={"accountId": named(ada, "Trade receivables")["id"]})
    done = ada.post("/api/transactions/confirm", json={"ids": [line]}).json
    assert done["results"][0]["changed"] is True
    assert realised(ada) == [(PAID, "-83.33", "83.33")]
    assert left(ada) == ("0.00", "0.00")


def test_a_part_realises_nothing_and_the_rest_all_of_it(ada, invoice, write):
    write(PAID, "500.00", "Petty cash", "Trade receivables")
    assert realised(ada) == []
    write(LATER, "600.00", "Petty cash", "Trade receivables")
    assert realised(ada) == [(LATER, "-103.33", "103.33")]
    assert left(ada) == ("0.00", "0.00")


def test_a_debt_that_costs_less_is_a_gain(ada, rates, write):
    write(INVOICED, "1100.00", "Software", "Trade payables")
    write(PAID, "1100.00", "Trade payables", "Petty cash")
    assert realised(ada) == [(PAID, "83.33", "-83.33")]


def test_it_is_dated_the_latest_movement_though_an_older_day_is_posted_last(ada, rates, write):
    """The payment was written before its invoice; nil is judged over all posted days."""
    write(PAID, "1100.00", "Petty cash", "Trade receivables")
    write(INVOICED, "1100.00", "Trade receivables", "Sales of services")
    assert realised(ada) == [(PAID, "-83.33", "83.33")]


def test_amounts_that_cancel_each_other_on_a_day_are_movements_and_differences_are_none(ada, invoice, write):
    write(PAID, "50.00", "Trade receivables", "Sales of services")
    write(PAID, "50.00", "Petty cash", "Trade receivables")
    assert ada.post("/api/revaluations", json={"asOf": LATER}).json["changed"] is True
    write("2026-03-19", "1100.00", "Petty cash", "Trade receivables")
    assert realised(ada) == [(PAID, "-83.33", "83.33")]


def test_a_correction_that_brings_it_to_nil_realises_it(ada, bank, invoice):
    bank.open("Dollars", "USD")
    line = bank.send(PAID, "1100.00", "Dan")
    for name in ("Sales of services", "Trade receivables"):
        ada.patch(f"/api/transactions/{line}", json={"accountId": named(ada, name)["id"]})
        assert ada.post(f"/api/transactions/{line}/confirm").status_code == 200
    assert realised(ada) == [(PAID, "-83.33", "83.33")]


def test_every_currency_of_an_account_is_judged_alone(ada, bank, invoice, write):
    bank.quote(INVOICED, "GBP", "0.8")
    write(INVOICED, "100.00", "Trade receivables", "Sales of services", "GBP")
    write(PAID, "1100.00", "Petty cash", "Trade receivables")
    assert realised(ada) == [(PAID, "-83.33", "83.33")]
    assert left(ada)[0] == "125.00"


def test_what_stands_is_not_taken_back_and_the_next_nil_realises_what_is_then_left(ada, invoice, write):
    paid = write(PAID, "1100.00", "Petty cash", "Trade receivables")
    ada.post(f"/api/journal-entries/{paid}/void", json={"reason": "It bounced"})
    assert realised(ada) == [(PAID, "-83.33", "83.33")]
    assert left(ada) == ("916.67", "1100.00")
    write(LATER, "1100.00", "Petty cash", "Trade receivables")
    assert realised(ada) == [(PAID, "-83.33", "83.33"), (LATER, "-36.67", "36.67")]
    assert left(ada) == ("0.00", "0.00")


def test_where_both_are_voided_nothing_is_left_of_it(ada, invoice, write):
    paid = write(PAID, "1100.00", "Petty cash", "Trade receivables")
    for entry in (paid, invoice):
        assert ada.post(f"/api/journal-entries/{entry}/void", json={"reason": "A test"}).status_code == 200
    assert realised(ada)[1:] == [(PAID, "83.33", "-83.33")]
    assert left(ada) == ("0.00", "0.00")
    assert left(ada, "Realised exchange differences")[0] == "0.00"


@pytest.mark.parametrize("name", ["Equipment", "Transfers between own accounts"])
def test_what_is_no_money_realises_nothing(ada, rates, write, name):
    write(INVOICED, "1100.00", name, "Trade payables")
    write(PAID, "1100.00", "Trade payables", name)
    assert realised(ada) == [(PAID, "83.33", "-83.33")], "what is owed alone"
    assert left(ada, name) == ("83.33", "0.00")


def test_it_is_not_voided_alone_and_the_refusal_names_what_to_void(ada, invoice, write):
    paid = write(PAID, "1100.00", "Petty cash", "Trade receivables")
    (entry,) = ada.get("/api/journal-entries?source=exchange").json["entries"]
    assert entry["canVoid"] is False
    refused = ada.post(f"/api/journal-entries/{entry['id']}/void", json={"reason": "Wrong"})
    assert (refused.status_code, refused.json["code"]) == (409, "exchange")
    assert refused.json["details"] == {"journalEntryIds": [paid]}
    assert f"Void entry {paid} instead" in refused.json["error"]
    page = ada.browser().get(f"/journal/{entry['id']}").text
    assert ("A realised exchange difference" in page, "Void entry" in page) == (True, False)


def test_a_refused_act_realises_nothing(ada, bank, invoice, write):
    bank.lock(PAID)
    cash, owed = (named(ada, name)["id"] for name in ("Petty cash", "Trade receivables"))
    legs = [
        {"accountId": cash, "amount": "1100.00", "currency": "USD"},
        {"accountId": owed, "amount": "-1100.00", "currency": "USD"},
    ]
    body = {"effectiveAt": PAID, "postings": legs, "post": True}
    assert ada.post("/api/journal-entries", json=body).status_code == 409
    later = {**body, "effectiveAt": LATER}
    assert ada.post("/api/journal-entries?dryRun=true", json=later).status_code == 200
    assert realised(ada) == []


def test_it_is_no_open_item_and_breaks_no_proof(ada, bank, desk, rates, write):
    fa_id = bank.open("Dollars", "USD")
    came, went = bank.send_many([(INVOICED, "1100.00", "Dan"), (PAID, "-1100.00", "Rent")])
    ada.patch(f"/api/accounts/{bank.ledger_account(fa_id)}", json={"isWatched": True})
    ada.post("/api/transactions/confirm", json={"ids": [came, went]})
    assert realised(ada) == [(PAID, "-83.33", "83.33")]
    items = ada.get(f"/api/open-items?accountId={bank.ledger_account(fa_id)}").json["openItems"]
    assert sorted(each["amount"] for each in items) == ["-1100.00", "1100.00"]
    desk.prove("2026-03-31", "0.00")
    assert (desk.account()["status"], desk.account()["anchor"]["holds"]) == ("reconciled", True)
