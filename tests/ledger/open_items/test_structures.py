"""Stretches of numbers in a row, beside all stretches added up one by one."""

import random
from itertools import combinations
from types import SimpleNamespace

from webapp.ledger.open_items.structures import consecutive


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
