"""Which pending lines became which booked ones, beside a search through all pairs, and however many there are."""

import sys
from datetime import date, timedelta
from random import Random

import pytest

from webapp.ledger.matching import joins
from webapp.ledger.matching.joins import LineReport, pair_pending

DAY = date(2026, 3, 1)
TEXTS = ("Bistro", "Bistro Roma", "", "Cafe Roma GmbH", "X1")
AMOUNTS = (1000, 1000, 1150, 1300, 1301, 50)


def by_all_pairs(pending, booked, refused):
    """Pair lines as `pair_pending` is described, by a look at every pair; the kept, the joined, the tier, certain."""
    found, certain = [], set()
    for group in dict.fromkeys((each.amount_minor, each.text) for each in (*pending, *booked) if each.text):
        own = [each for each in pending if (each.amount_minor, each.text) == group]
        fitting = [
            (line, before)
            for line in sorted(booked, key=lambda each: (each.day, each.id))
            for before in sorted(own, key=lambda each: (each.day, each.id))
            if (line.amount_minor, line.text) == group
            and is_in_time(before, line)
            and (line.id, before.id) not in refused
        ]
        is_certain = len({line.day for line, _ in fitting}) == 1 == len({before.day for _, before in fitting})
        used = set()
        for line, before in fitting:
            if used.isdisjoint({line.id, before.id}):
                used |= {line.id, before.id}
                found.append((line.id, before.id, "EXACT", is_certain))
        certain |= used if is_certain else set()
    named = {pair[:2] for pair in found}
    for before in pending:
        for line in booked:
            pair = line.id, before.id
            if pair in named or pair in refused or certain & set(pair) or not is_in_time(before, line):
                continue
            tier, _ = joins.similarity(before, line)
            if tier:
                found.append((*pair, tier, False))
    return found


def is_in_time(before, line):
    return 0 <= (line.day - before.day).days <= joins.PENDING_DAYS


def test_the_pairs_are_those_of_a_search_through_all(rounds):
    chance = Random(3)  # noqa: S311  (the same ones every time)

    def some(least, count):
        return [
            LineReport(
                number,
                DAY + timedelta(days=chance.randrange(chance.choice([1, 3, 25]))),
                chance.choice((1, -1)) * chance.choice(AMOUNTS),
                chance.choice(TEXTS),
                None,
            )
            for number in chance.sample(range(least, least + 50), count)
        ]

    for _ in range(rounds(300, 5000)):
        pending, booked = some(1, chance.choice([1, 2, 5, 12])), some(101, chance.randint(0, 12))
        share = chance.choice([0, 0.05, 0.3])
        refused = {(line.id, each.id) for line in booked for each in pending if chance.random() < share}
        found = [each[:4] for each in pair_pending(pending, booked, refused)]
        assert found == by_all_pairs(pending, booked, refused)


@pytest.mark.parametrize(
    ("amount", "text", "days"),
    [
        (lambda _: 1000, lambda _: "Bistro", 1),
        (lambda _: 1000, lambda _: "Bistro", 2),
        (lambda _: 1000, lambda number: f"Bistro{'abcdefghij'[number % 10] * (number % 97)}", 1),
        (lambda number: 100_000 + number, lambda _: "Bistro", 1),
    ],
    ids=["all alike", "all alike of two days", "all of one amount", "all of one text"],
)
def test_twice_as_many_lines_take_about_twice_as_many_steps(monkeypatch, amount, text, days):
    monkeypatch.setattr(joins, "COMPARED", 10)

    def steps(count):
        sides = [
            [
                LineReport(first + n, DAY + timedelta(days=n % days), amount(n), text(n), None)
                for n in range(count)
            ]
            for first in (0, 10**6)
        ]
        taken = 0

        def traced(frame, event, _argument):
            nonlocal taken
            if frame.f_code.co_filename != joins.__file__:
                return None
            taken += event == "line"
            return traced

        before = sys.gettrace()
        sys.settrace(traced)
        try:
            pair_pending(*sides, set())
        finally:
            sys.settrace(before)
        return taken

    # Beyond the number of lines that each is compared with.
    assert steps(120) < 2.6 * steps(60)
