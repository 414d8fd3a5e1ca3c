"""One line that pays items of several parties or accounts: each group makes the sum of its splits, all in one act."""

import random

import pytest

from tests.fixtures.helpers.owed import items, keep_items, owe
from tests.fixtures.helpers.transfers import confirm, send
from webapp.ledger.money import Money

pytestmark = pytest.mark.usefixtures("sound")


@pytest.fixture(autouse=True)
def receivables(ada, books):
    """Let receivables and payables keep items."""
    keep_items(ada, books.account_id("Trade payables"))
    return keep_items(ada, books.account_id("Trade receivables"))


@pytest.fixture
def several(ben, books, bank):
    """Let parties be owed some amounts each; answers each party with its amount."""

    def owed(amounts):
        made = []
        for number, minor in enumerate(amounts):
            party = bank.merchant(f"Party {number}")
            owe(ben, books, str(Money(minor, "EUR")), party)
            made.append((party, minor))
        return made

    return owed


def payout(person, books, line, parties, fee=0):
    """Split a line over parties and the bank's fee, and let it pay all that is open."""
    receivable = books.account_id("Trade receivables")
    splits = [
        {"accountId": receivable, "amount": str(Money(minor, "EUR")), "orgMerchantId": party}
        for party, minor in parties
    ]
    if fee:
        charges = books.account_id("Bank charges")
        splits.append({"accountId": charges, "amount": str(Money(-fee, "EUR"))})
    body = {"splits": splits, "settles": [{"itemId": each["id"]} for each in items(person, limit=200)]}
    return person.patch(f"/api/transactions/{line}", json=body)


@pytest.mark.parametrize("count", [2, 7, pytest.param(80, marks=pytest.mark.rare)])
def test_a_payout_settles_what_each_party_owes_and_the_void_opens_it(ben, books, bank, giro, several, count):
    chance = random.Random(count)  # noqa: S311
    parties = several([chance.randint(500, 90_000) for _ in range(count)])
    fee = chance.randint(1, 400)
    whole = Money(sum(minor for _, minor in parties) - fee, "EUR")
    line = send(bank, giro, "2026-03-20", str(whole), "Payout")
    answer = payout(ben, books, line, parties, fee)
    assert answer.status_code == 200, answer.json
    before = {(each["orgMerchantId"], each["open"]) for each in items(ben, limit=200)}
    done = confirm(ben, line)
    assert items(ben) == []
    made = ben.get("/api/settlements?limit=200").json["settlements"]
    assert [(each["status"], len(each["parts"])) for each in made] == [("STANDING", 2)] * count
    [entry_id] = done["result"]["journalEntryIds"]
    voided = ben.post(f"/api/journal-entries/{entry_id}/void", json={"reason": "Wrong"})
    assert voided.status_code == 200, voided.json
    assert {(each["orgMerchantId"], each["open"]) for each in items(ben, limit=200)} == before
    confirm(ben, line)
    assert items(ben) == []


def test_each_further_party_of_a_payout_asks_no_more_than_the_one_before(
    ben, books, bank, giro, several, statements
):
    """Which merchants are merged was once asked for each part and each item of the others."""

    def asked(count):
        parties = several([1_000] * count)
        line = send(bank, giro, "2026-03-20", str(Money(1_000 * count, "EUR")), "Payout")
        with statements() as seen:
            assert payout(ben, books, line, parties).status_code == 200
            confirm(ben, line)
        return len(seen)

    few, more, many = asked(3), asked(6), asked(9)
    assert many - more <= (more - few) * 1.1, (few, more, many)


def test_a_receivable_and_a_payable_of_one_party_are_paid_by_their_difference(
    ben, books, bank, giro, receivables
):
    acme = bank.merchant("Acme")
    owe(ben, books, "117.30", acme)
    owe(ben, books, "-48.15", acme, account="Trade payables")
    line = send(bank, giro, "2026-03-20", "69.15", "Net of yours")
    payables = books.account_id("Trade payables")
    splits = [
        {"accountId": receivables, "amount": "117.30"},
        {"accountId": payables, "amount": "-48.15"},
    ]
    body = {"splits": splits, "settles": [{"itemId": each["id"]} for each in items(ben)]}
    answer = ben.patch(f"/api/transactions/{line}", json=body)
    assert answer.status_code == 200, answer.json
    (result,) = ben.post("/api/transactions/confirm", json={"ids": [line]}).json["results"]
    assert result["status"] == "EXECUTED", result
    assert items(ben) == []


def test_a_group_that_is_not_its_splits_is_refused_and_nothing_changes(ben, books, bank, giro, several):
    parties = several([9000, 4200])
    line = send(bank, giro, "2026-03-20", "131.00")
    before = ben.get(f"/api/transactions/{line}").json
    (first, _), (second, _) = parties
    refused = payout(ben, books, line, [(first, 8900), (second, 4200)])
    assert (refused.status_code, refused.json["code"]) == (422, "payment_does_not_fit")
    short = payout(ben, books, line, [(first, 9000), (second, 4100)])
    assert (short.status_code, short.json["code"]) == (422, "payment_does_not_fit")
    assert ben.get(f"/api/transactions/{line}").json == before


def test_what_is_short_is_of_one_party(ben, books, bank, giro, several, receivables):
    parties = several([9000, 4200])
    line = send(bank, giro, "2026-03-20", "131.00")
    body = {
        "splits": [
            {"accountId": receivables, "amount": "90.00", "orgMerchantId": parties[0][0]},
            {"accountId": receivables, "amount": "41.00", "orgMerchantId": parties[1][0]},
        ],
        "settles": [{"itemId": each["id"]} for each in items(ben)],
        "short": {"amount": "1.00", "as": "FEE"},
    }
    refused = ben.patch(f"/api/transactions/{line}", json=body)
    assert (refused.status_code, refused.json["code"]) == (422, "short_of_several")


def test_the_undo_of_a_key_opens_all_that_its_payout_paid(ada, books, bank, giro, several):
    agent = ada.with_scopes("read", "draft", "confirm")
    parties = several([12_345, 678, 9])
    line = send(bank, giro, "2026-03-20", "130.32")
    assert payout(agent, books, line, parties).status_code == 200
    confirm(agent, line)
    asked = {"tokenId": agent.token_id, "since": "2026-01-02T00:00:00Z"}
    pages = ada.browser()
    preview = pages.post("/api/action-requests/undo/preview", json=asked).json
    done = pages.post("/api/action-requests/undo", json={**asked, "digest": preview["digest"]})
    assert done.status_code == 200, done.json
    assert sorted(each["open"] for each in items(ada)) == ["0.09", "123.45", "6.78"]


def test_a_bank_that_changes_the_amount_leaves_what_each_party_pays(ben, books, bank, feed, giro, several):
    parties = several([5000, 2500])
    fa_id = bank.open("Card", "EUR")
    url = f"/api/feeds/accounts/{fa_id}/transactions"
    row = {"providerTransactionId": "P1", "bookedOn": "2026-03-20", "amount": "75.00", "currency": "EUR"}
    row |= {"pending": False, "description": "Payout"}
    pushed = ben.post(url, json={"batchId": "one", "added": [row]}).json["results"]
    line = pushed[0]["transactionId"]
    assert payout(ben, books, line, parties).status_code == 200
    changed = ben.post(url, json={"batchId": "two", "modified": [{**row, "amount": "74.00"}]})
    assert changed.status_code == 200, changed.json
    confirm(ben, line)
    assert items(ben) == []
