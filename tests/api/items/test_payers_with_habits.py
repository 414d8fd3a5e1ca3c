"""Parties that pay in twelve ways where lines like theirs were income before: the machine says what each line is."""

from collections import Counter
from random import Random

import pytest

from tests.fixtures.feeds import line
from tests.fixtures.helpers.transfers import confirm
from tests.fixtures.payers.payers import FIRST, WAYS, Payers
from tests.fixtures.payers.payers_in_books import PayersInBooks
from tests.fixtures.turns import whose_turn
from webapp.ledger.open_items.payments import payment_evidence

# Twenty books of fifty months are the thousand.
BOOKS, MONTHS, DAYS, PAST = 20, 50, 400, 5
# From what part on of a hundred the first place has to be right: twins that nothing tells apart are half of a twelfth.
MOSTLY = 97


def pytest_generate_tests(metafunc):
    if "book" in metafunc.fixturenames:
        metafunc.parametrize("book", whose_turn(metafunc.config, range(BOOKS)))


def make_a_habit(person, feed, books):
    """Let lines of such parties go to income, as before anybody wrote invoices."""
    sent = [
        line(f"H{day}", f"{day}0.00", f"2025-11-0{day}", "Thanks", counterparty="Payer")
        for day in range(1, PAST + 1)
    ]
    ids = [each["transactionId"] for each in feed.results(added=sent)]
    income = books.account_id("Sales of services")
    changes = [{"id": each, "accountId": income} for each in ids]
    assert person.patch("/api/transactions", json={"changes": changes}).status_code == 200
    assert person.post("/api/transactions/confirm", json={"ids": ids}).status_code == 200


def said_of(person, line_id):
    path = f"/api/transactions?ids={line_id}&include=likely"
    (found,) = person.get(path).json["transactions"]
    return found["likelyPayment"], found["likelyAccount"]


def items_of(parts):
    return {each["itemId"] for each in parts}


@pytest.mark.rare
def test_no_payment_is_called_income_and_the_first_place_is_right(
    ada, bank, books, feed, book, rounds, remark
):
    chance, right, asked, sure, unknowable = Random(1987 + book), Counter(), Counter(), 0, 0  # noqa: S311
    payers, drawn = PayersInBooks(ada, bank, feed, books, chance, settles=False), Payers(chance)
    payers.quote(FIRST, DAYS)
    make_a_habit(ada, feed, books)
    for number in range(rounds(len(WAYS), MONTHS)):
        month = payers.book(drawn.month(WAYS[number % len(WAYS)]), number)
        payment, account = said_of(ada, month.line_id)
        asked[month.way] += 1
        if payment is None:
            # What pays nothing keeps its habit, and nothing that pays has one.
            assert (account is None, month.truth) == (False, frozenset()), month
            right[month.way] += 1
            continue
        assert account is None
        sets = [items_of(each) for each in (payment["choices"] or [payment["parts"]])]
        right[month.way] += sets[0] == month.truth
        # Of twins, and of what a charge made alike, all are named: nothing tells them apart.
        assert month.truth in sets, month
        unknowable += month.is_ambiguous and sets[0] != month.truth
        if payment["parts"]:
            sure += 1
            assert items_of(payment["parts"]) == month.truth, month
            settles = [{"itemId": each["itemId"], "amount": each["amount"]} for each in payment["parts"]]
            paid = ada.patch(f"/api/transactions/{month.line_id}", json={"settles": settles})
            assert (paid.status_code, "warnings" in paid.json) == (200, False)
            assert "warnings" not in confirm(ada, month.line_id)
            assert not month.truth & payers.left(month).keys()
    share = 100 * right.total() / asked.total()
    told = f"{share:.1f} % right at the first place, {unknowable} twins that nothing tells apart"
    remark(f"book {book}: {sure} paid by the machine, none wrongly; {told}")
    assert sure >= asked.total() // 4
    # Of twelve months one is eight of a hundred.
    assert 100 * right.total() / (asked.total() - unknowable) >= rounds(90, MOSTLY)
    assert share >= rounds(90, MOSTLY - 3), {way: f"{right[way]} of {asked[way]}" for way in WAYS}


def test_a_thousand_months_are_said_rightly(rounds, remark):
    """The same without books, as often as the share is told of."""
    drawn, right, months = Payers(Random(1987)), 0, rounds(300, 5_000)  # noqa: S311
    for number in range(months):
        month = drawn.month(WAYS[number % len(WAYS)])
        evidence = payment_evidence(month.payment, month.items)
        first = frozenset(evidence.choices[0].item_ids) if evidence.choices else frozenset()
        right += first == month.truth
        assert evidence.is_likely == bool(month.truth), month
        assert not evidence.is_sure or first == month.truth, month
    share = 100 * right / months
    remark(f"{share:.1f} % right at the first place, none surely wrong")
    assert share >= MOSTLY
