"""Parties that pay in twelve ways, in books: lines come, are proposed for, paid and confirmed, and all of it ties."""

from collections import Counter
from datetime import timedelta
from decimal import Decimal
from random import Random

import pytest

from tests.fixtures.helpers.transfers import confirm
from tests.fixtures.payers.payers import FIRST, WAYS, Payers, ways_to_add_up
from tests.fixtures.payers.payers_in_books import PayersInBooks
from tests.fixtures.turns import whose_turn
from webapp.queries import checks
from webapp.queries.checks import items as item_checks

# Twenty books of 250 months are the five thousand; the short run writes the first year of one of them.
BOOKS, MONTHS, DAYS = 20, 250, 400
DECIDED = {"IDENTIFICATION", "NUMBERS"}


def pytest_generate_tests(metafunc):
    if "book" in metafunc.fixturenames:
        metafunc.parametrize("book", whose_turn(metafunc.config, range(BOOKS)))


class Tally:
    """What was counted, by way: asked, and right at the first place; and what a rule settled by itself."""

    def __init__(self):
        self.asked, self.right, self.machine = Counter(), Counter(), 0

    @property
    def share(self):
        return 100 * self.right.total() / self.asked.total()


def judge(month, payers, tally):
    """Hold what the rule chose by itself and what is proposed against what the payment truly is for."""
    chosen, (verdict, choices) = payers.chosen(month.line_id), payers.proposed(month.line_id)
    if chosen:
        tally.machine += 1
        assert chosen == dict.fromkeys(month.truth, month.payment.amount.decimal), month
    first = choices[0] if choices else None
    tally.asked[month.way] += 1
    tally.right[month.way] += (
        {each["itemId"] for each in first["parts"]} == month.truth if first else not month.truth
    )
    if first is None or first["basis"] not in DECIDED:
        several = ways_to_add_up(month) > 1
        assert (verdict == "several") == several, (month, verdict)
        assert several or not month.is_ambiguous, month
    return bool(chosen)


def shares(month):
    """Give what the line pays of each item that it truly is for."""
    paid = {each.id: each.amount for each in month.items if each.id in month.truth}
    if month.way == "part":
        return dict.fromkeys(paid, month.payment.amount)
    return paid


def open_after(month):
    """Give what must be open after a month: what the line was not for, the rest of a part, and what nothing took."""
    paid, items = shares(month), [each for each in month.items if each.party_id == month.party_id]
    left = {
        each.id: each.amount.decimal - (paid[each.id].decimal if each.id in paid else 0) for each in items
    }
    unused = 0
    if month.way in {"over", "prepayment"}:
        unused = sum((each.decimal for each in paid.values()), Decimal(0)) - month.payment.amount.decimal
    return sorted(each for each in (*left.values(), unused) if each)


def ties(bank, organization_id, chance):
    days = [FIRST + timedelta(days=chance.randrange(DAYS)) for _ in range(3)]
    return bank.ask(lambda: [item_checks.untied(organization_id, day) for day in days])


@pytest.mark.rare
def test_what_pays_in_twelve_ways_is_settled_rightly_and_ties(ada, bank, books, feed, book, rounds, remark):
    chance, tally = Random(2026 + book), Tally()  # noqa: S311
    payers, drawn = PayersInBooks(ada, bank, feed, books, chance), Payers(chance)
    payers.quote(FIRST, DAYS)
    for number in range(rounds(len(WAYS), MONTHS)):
        month = payers.book(drawn.month(WAYS[number % len(WAYS)]), number)
        if not judge(month, payers, tally):
            payers.pay(month, shares(month))
        confirm(ada, month.line_id)
        assert sorted(payers.left(month).values()) == open_after(month), month
        assert ties(bank, ada.organization_id, chance) == [[], [], []]
    machine = f"{tally.machine} settled by the machine, none wrongly"
    remark(f"book {book}: {machine}; {tally.share:.1f} % right at the first place")
    assert bank.ask(lambda: [each.as_json() for each in checks.violations()]) == []
    # Of twelve months one is eight of a hundred: the short run asks for less.
    assert tally.machine >= rounds(0, MONTHS // len(WAYS))
    assert tally.share >= rounds(65, 85), {way: f"{tally.right[way]} of {tally.asked[way]}" for way in WAYS}
