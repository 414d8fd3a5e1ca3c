"""Which sets of open items add up to a payment, which numbers stand in a row: the same as trying each, never slowly."""

import random
import time
from itertools import accumulate, combinations
from types import SimpleNamespace

import pytest

from webapp.ledger.open_items.payment_sets import SetVerdict, payment_sets
from webapp.ledger.open_items.structures import consecutive

# Sizes of amounts: few different ones, so that many sets add up; and so many that hardly any do.
WIDTHS = (3, 12, 100, 100_000)


def by_trying(amounts, payment):
    """Give the sets without a part that adds up to nothing, from the sums of all sets."""
    sums = [0]
    for amount in amounts:
        sums += [each + amount for each in sums]
    nothing = [mask for mask, each in enumerate(sums) if mask and not each]
    fitting = [mask for mask, each in enumerate(sums) if each == payment]
    return {mask for mask in fitting if not any(mask & part == part for part in nothing)}


def verdict_of(sets):
    return (SetVerdict.NONE, SetVerdict.UNIQUE)[len(sets)] if len(sets) < 2 else SetVerdict.SEVERAL


def drawn(chance):
    """Draw items, some of which go the other way, and a payment that mostly is the sum of some."""
    width, count = chance.choice(WIDTHS), chance.choice((*range(1, 13), 14, 16))
    amounts = [chance.choice((1, 1, 1, -1)) * chance.randint(1, width) for _ in range(count)]
    if chance.random() < 0.2:
        return amounts, chance.randint(1, width * 2)
    return amounts, sum(chance.sample(amounts, chance.randint(1, count))) or width


def test_the_verdict_is_that_of_trying_each_set(rounds):
    chance, verdicts = random.Random(21), []  # noqa: S311  (chance that can be had again)
    for _ in range(rounds(300, 10_000)):
        amounts, payment = drawn(chance)
        expected, found = by_trying(amounts, payment), payment_sets(amounts, payment)
        masks = {sum(1 << place for place in places) for places in found.sets}
        assert (found.verdict, len(found.sets)) == (verdict_of(expected), min(len(expected), 3))
        assert masks <= expected
        assert len(masks) == len(found.sets)
        assert not expected or len(found.sets[0]) == min(mask.bit_count() for mask in expected)
        verdicts.append(found.verdict)
    assert set(verdicts) == {SetVerdict.NONE, SetVerdict.UNIQUE, SetVerdict.SEVERAL}


POWERS = [1 << place for place in range(24)]


NASTY = {
    "each sum is another one": (POWERS, sum(POWERS)),
    "half of them": (POWERS, sum(POWERS[::2])),
    "one fits, and thousands of sets that add up to nothing": (
        [*range(1, 12), *range(-12, 0), 1000],
        1000,
    ),
    "all are equal": ([10] * 24, 120),
    "half go the other way": ([10] * 12 + [-10] * 12, 10),
    "two large sets": ([*POWERS[:23], POWERS[12] - 1], POWERS[23] - 1),
    "few units": (list(range(1, 25)), 150),
    "none": ([2 * each for each in range(1, 25)], 151),
}


@pytest.mark.parametrize("name", NASTY)
def test_24_items_take_at_most_50_ms(name):
    amounts, payment = NASTY[name]
    assert len(amounts) == 24
    payment_sets(amounts, payment)

    def seconds():
        started = time.process_time()
        payment_sets(amounts, payment)
        return time.process_time() - started

    # Others' load makes one measurement slow, hardly each of five.
    assert min(seconds() for _ in range(5)) <= 0.05


def test_a_25th_item_is_one_too_many():
    assert payment_sets([*POWERS, 5], 5).verdict is SetVerdict.TOO_MANY


def test_the_first_items_are_proposed_where_several_sets_are_alike():
    assert payment_sets([50, 50, 50, 50], 100).sets == ((0, 1), (0, 2), (0, 3))


@pytest.mark.parametrize("payment", list(accumulate([300] * 4)))
def test_all_of_equal_amounts_are_one_set_and_some_are_several(payment):
    verdict = SetVerdict.UNIQUE if payment == 1200 else SetVerdict.SEVERAL
    assert payment_sets([300] * 4, payment).verdict is verdict


def every_stretch(items, paid):
    by_number = {int(each.number[1:]): each for each in items}
    numbers = sorted(by_number)
    found = []
    for first, last in combinations(range(len(numbers)), 2):
        chosen = [by_number[each] for each in numbers[first : last + 1]]
        if (
            numbers[last] - numbers[first] == last - first
            and sum(each.amount.minor for each in chosen) == paid
        ):
            found.append(chosen)
    return found


def test_the_first_stretch_that_adds_up_is_that_of_all_stretches():
    chance, hits = random.Random(21), 0  # noqa: S311  (figures to try, no secret)
    for _ in range(400):
        numbers = chance.sample(range(1, 14), 8)
        items = [
            SimpleNamespace(number=f"R{each}", amount=SimpleNamespace(minor=chance.randint(-2, 4)))
            for each in numbers
        ]
        paid = chance.randint(1, 9)
        wanted = every_stretch(items, paid)
        assert next(consecutive(items, paid), None) == (wanted[0] if wanted else None)
        hits += bool(wanted)
    assert hits > 100
