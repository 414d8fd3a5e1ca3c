"""Whatever another organization asks, no answer holds a word or an amount of these books (P36)."""

import logging
from collections import Counter
from random import Random

import pytest

from tests.fixtures.helpers.marks import on_sqlite
from tests.security.addresses import addresses_of, text_of
from tests.security.asking import Asker
from tests.security.conftest import CANARY, CANARY_AMOUNT

TOLD_NOWHERE = (CANARY, CANARY_AMOUNT, "77,777.31", "7777731", "C4N4RY", "Lantern Studio", "ada@example.com")
# What finds a canary where it is looked for among all books, and is none itself when an answer repeats it.
WORDS = (
    CANARY[:-1],
    CANARY[1:],
    CANARY[:6].lower(),
    "77777",
    CANARY_AMOUNT[:-1],
    "C4N4R",
    "Lantern",
    "ada@",
    "%",
    "_______",
    "*",
    "' OR 1=1 --",
    "\\",
    "a",
    "Bank",
    "é",
)
# After so many the books are as they were, or lists that have grown would make the rest slow.
AT_A_TIME = 2_500


@pytest.fixture
def asker(app, ada, ids):
    def begin(seed):
        foreign = {**ids, "organization_id": ada.organization_id}
        return Asker(Random(seed), app, foreign, WORDS, cursors)  # noqa: S311  (the same ones every time)

    cursors = tuple(cursors_of(ada, app, ids))
    assert cursors
    return begin


def cursors_of(person, app, ids):
    for address in addresses_of(app):
        if address.is_safe and address.is_api and address.rule != "/api/openapi.json":
            answer = person.get(address.path(ids) + "?limit=1").json
            if answer.get("nextCursor"):
                yield answer["nextCursor"]


@pytest.fixture
def dans_things(dan, bank):
    """Give Dan books of his own, so that his lists are not empty."""
    his = bank.of(dan)
    his.send_many([(f"2026-03-{day:02}", f"-{day}.00", f"Flour {day}") for day in range(1, 9)])
    for name in ("A mill", "A shop"):
        his.merchant(name)
        his.project(name)


def told(answer):
    """List what of the canaries an answer tells, in its body or its headers."""
    text = f"{answer.headers}{text_of(answer)}"
    return [canary for canary in TOLD_NOWHERE if canary in text]


def answers_to(person, asker, count):
    """Ask so many requests, by token and by session in turn."""
    browser = person.browser()
    for number in range(count):
        method, path, options = asker.request()
        if number % 2:
            answer = person.ask(method, path, **options)
        else:
            answer = browser._ask(method, path, {**options, "headers": asker.headers()})  # noqa: SLF001
        yield method, path, answer


@on_sqlite
def test_who_may_see_the_canaries_meets_them_often(cleo, asker, rounds):
    """The same requests by a viewer of these books: proof that they find what must not be found by others."""
    count = rounds(100, 300)
    found = sum(bool(told(answer)) for _, _, answer in answers_to(cleo, asker(0), count))
    assert found >= count / 5


def test_no_request_finds_a_canary(dan, asker, dans_things, house, rounds, figure, database_kind, caplog):
    # pytest would keep every line of the log until the end.
    caplog.set_level(logging.ERROR, logger="tieout.requests")
    house.leave()
    house.store.copy("books", "as_they_were")
    count = rounds(100, 100_000 if database_kind == "sqlite" else 400)
    statuses = Counter()
    for seed in range(0, count, AT_A_TIME):
        house.leave()
        house.store.copy("as_they_were", "books")
        for method, path, answer in answers_to(dan, asker(seed), min(AT_A_TIME, count - seed)):
            statuses[answer.status_code // 100] += 1
            assert answer.status_code < 500, (seed, method, path, answer.text[:300])
            assert told(answer) == [], (seed, method, path, answer.status_code)
    assert statuses[2] >= statuses.total() / 6
    figure(
        "P36",
        f"0 canaries in {statuses.total()} answers to requests made up at random, {statuses[2]} of them 2xx",
    )
