"""Whatever way an invoice was paid: what is undone leaves the balances as of today as they were before."""

from collections import Counter
from decimal import Decimal

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe, settle, undo
from tests.fixtures.helpers.transfers import confirm, entry, send

pytestmark = [pytest.mark.rare, pytest.mark.usefixtures("sound")]


@pytest.fixture(autouse=True)
def receivables(ada, bank, books):
    for day, rate in (("2026-03-01", "1.10"), ("2026-03-20", "1.18")):
        bank.quote(day, "USD", rate)
    return keep_items(ada, books.account_id("Trade receivables"))


# A way of paying: what is owed, what the line brings and in which currency, which parts of the items it pays, and what
# it is short as.
WAYS = {
    "exact": ([("400.00", "EUR")], "400.00", "EUR", None, None),
    "part": ([("400.00", "EUR")], "150.00", "EUR", ["150.00"], None),
    "over": ([("400.00", "EUR")], "500.00", "EUR", None, None),
    "several": ([("400.00", "EUR"), ("250.00", "EUR")], "650.00", "EUR", None, None),
    "credit note": ([("400.00", "EUR"), ("-50.00", "EUR")], "350.00", "EUR", None, None),
    "fee": ([("400.00", "EUR")], "392.00", "EUR", None, ("FEE", None)),
    "discount": ([("400.00", "EUR")], "392.00", "EUR", None, ("DISCOUNT", "Advertising")),
    "write-off": ([("400.00", "EUR")], "392.00", "EUR", None, ("WRITE_OFF", "Other income")),
    "dollars": ([("1100.00", "USD")], "1100.00", "USD", None, None),
    "a part in dollars": ([("1100.00", "USD")], "500.00", "USD", ["500.00"], None),
    "dollars short by a fee": ([("1100.00", "USD")], "1092.00", "USD", None, ("FEE", None)),
    "dollars in euros": ([("1100.00", "USD")], "930.00", "EUR", None, None),
    "euros in dollars": ([("900.00", "EUR")], "1062.00", "USD", None, None),
    "refund": ([("-400.00", "EUR")], "-400.00", "EUR", None, None),
}


@pytest.fixture(params=WAYS)
def line(request, ben, bank, books, acme):
    owed, amount, currency, parts, short = WAYS[request.param]
    for each, of in owed:
        owe(ben, books, each, acme, currency=of)
    sent = send(bank, bank.open("Giro", currency), "2026-03-20", amount)
    chosen = [{"itemId": each["id"]} for each in items(ben)]
    for each, part in zip(chosen, parts or (), strict=bool(parts)):
        each["amount"] = part
    body = {"settles": chosen}
    if short is not None:
        kind, account = short
        body["short"] = {"amount": "8.00", "as": kind}
        if account:
            body["short"]["accountId"] = books.account_id(account)
    answer = ben.patch(f"/api/transactions/{sent}", json=body)
    assert answer.status_code == 200, answer.json
    return sent


def balances(person):
    """Give what stands on each account as of today, by currency and in base, without what is nothing."""
    found = Counter()
    for entry_ in person.get("/api/journal-entries?limit=200").json["entries"]:
        if entry_["status"] != "DRAFT":
            found.update(sums(entry_["postings"]))
    return {key: each for key, each in found.items() if each}


def sums(postings):
    found = Counter()
    for each in postings:
        found[each["accountName"], each["currency"]] += Decimal(each["amount"])
        found[each["accountName"], "base"] += Decimal(each["amountBase"])
    return found


def told(person):
    listed = person.get("/api/accounts?limit=200").json["accounts"]
    return {each["name"]: each["balanceBase"] for each in listed}


def owed_now(person):
    return sorted((each["id"], each["open"], each["openBase"]) for each in items(person))


def standing(person):
    made = person.get("/api/settlements").json["settlements"]
    return [each for each in made if each["status"] == "STANDING"]


def test_voiding_a_payment_leaves_everything_as_before(ben, line):
    before = told(ben), owed_now(ben)
    confirm(ben, line)
    assert (told(ben), owed_now(ben)) != before
    paying = {each["id"] for each in standing(ben)}
    assert paying
    entry_id = entry(ben, line)["id"]
    assert ben.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"}).status_code == 200
    assert (told(ben), owed_now(ben)) == before
    # What stands now joins what was voided with its reversal.
    assert paying.isdisjoint(each["id"] for each in standing(ben))


def test_undoing_its_settlements_leaves_what_the_line_itself_posts(ben, line):
    before, open_before = balances(ben), owed_now(ben)
    confirm(ben, line)
    for made in standing(ben):
        undo(ben, made)
    expected = Counter(before)
    expected.update(sums(entry(ben, line)["postings"]))
    assert balances(ben) == {key: each for key, each in expected.items() if each}
    assert set(open_before) <= set(owed_now(ben))


def test_settling_a_prepayment_by_hand_and_undoing_it(ben, books, acme):
    owe(ben, books, "-500.00", acme, currency="USD")
    owe(ben, books, "1100.00", acme, currency="USD", day="2026-03-20")
    before = told(ben), owed_now(ben)
    invoice, prepaid = items(ben)
    made = settle(ben, (invoice, "500.00"), prepaid)
    assert (told(ben), owed_now(ben)) != before
    undo(ben, made)
    assert (told(ben), owed_now(ben)) == before


def test_voiding_the_second_line_of_an_invoice_leaves_what_the_first_paid(ben, books, bank, acme):
    owe(ben, books, "400.00", acme)
    giro = bank.open("Giro")
    states = []
    for amount in ("150.00", "250.00"):
        sent = send(bank, giro, "2026-03-20", amount)
        states.append((told(ben), owed_now(ben)))
        part = {"itemId": items(ben)[0]["id"], "amount": amount}
        assert ben.patch(f"/api/transactions/{sent}", json={"settles": [part]}).status_code == 200
        confirm(ben, sent)
    entry_id = entry(ben, sent)["id"]
    assert ben.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"}).status_code == 200
    assert (told(ben), owed_now(ben)) == states[1]
