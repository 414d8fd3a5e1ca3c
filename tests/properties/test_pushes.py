"""Batches that overlap, in any order and as often as anybody likes, beside files, give what the bank has, each once."""

import itertools
from collections import Counter
from functools import partial

import marshmallow as ma
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.bank_files.ofx_statements import Line, bank_file
from tests.fixtures.feeds import Feed, line
from tests.fixtures.helpers.examples import examples
from webapp.schemas.pushes import KEYS, FeedLineSchema, fast_line

NUMBERS = itertools.count()
DAYS = [f"2026-03-{day:02}" for day in range(1, 8)]
AMOUNTS = st.sampled_from(["-2.50", "7.00"])
facts = st.tuples(st.sampled_from(DAYS), AMOUNTS, st.sampled_from(["Coffee Bar", "COFFEE BAR", "Tea house"]))
# What the bank says of one line: how it was first, what it is after a change if there is one, whether it went.
history = st.tuples(facts, st.none() | facts, st.booleans())
window = st.tuples(st.sampled_from(DAYS), st.sampled_from(DAYS)).map(sorted)
WORDS = ["", "0", "-0.00", "1e3", "12.5", "\u0661", "a\0b", "\ud800", "2026-02-30", "2026-1-1", "0001-01-01"]
CODES = ["eur", "RUR", "XAU", "JPY"]
ODD = st.sampled_from([None, True, 1, 1.5, [], {}, "a" * 256, "9" * 30, *WORDS, *CODES])
raw = st.dictionaries(st.sampled_from([*sorted(KEYS), "unknown"]), ODD | st.text(max_size=4), max_size=4)


@pytest.fixture
def fresh_feed(ada, bank):
    """Make a feed of an account of its own, which is cheaper than a fresh database, and as empty."""
    return lambda: Feed(ada, bank.open(f"Account {next(NUMBERS)}"))


def said(name, told):
    day, amount, text = told
    return line(name, amount, day, text)


def events_of(histories):
    """Give everything that the feed has to say, one by one."""
    for number, (first, changed, is_gone) in enumerate(histories):
        yield "added", said(f"L{number}", first)
        if changed is not None:
            yield "modified", said(f"L{number}", changed)
        if is_gone:
            yield "removed", f"L{number}"


def batch_of(events):
    return {
        kind: [what for each, what in events if each == kind] for kind in ("added", "modified", "removed")
    }


def sound(bank):
    return bank.broken()


def hear(heard, batch):
    for kind in ("added", "modified"):
        for name in dict.fromkeys(each["providerTransactionId"] for each in batch[kind]):
            first = next(each for each in batch[kind] if each["providerTransactionId"] == name)
            facts, is_change = (first["bookedOn"], first["amount"]), kind == "modified"
            _, state, was_change = heard.get(name, (None, "booked", False))
            if state == "unseen":
                heard[name] = facts, "removed", False
            elif state == "removed" or is_change or not was_change:
                heard[name] = facts, "booked", is_change
    for name in batch["removed"]:
        facts, state, _ = heard.get(name, (None, "unseen", False))
        heard[name] = facts, "removed" if state != "unseen" else "unseen", False


def renames(heard, batch):
    gone = [heard.get(name, (None,))[0] for name in batch["removed"]]
    gone += [
        (each["bookedOn"], each["amount"])
        for each in batch["added"]
        if each["providerTransactionId"] in batch["removed"]
    ]
    return any((each["bookedOn"], each["amount"]) in gone for each in batch["added"])


@examples(7, 1000)
@given(histories=st.lists(history, min_size=1, max_size=8), data=st.data())
def test_batches_in_any_order_and_as_often_as_one_likes_give_the_last_word(fresh_feed, bank, histories, data):
    feed = fresh_feed()
    events = list(events_of(histories))
    again = data.draw(st.lists(st.sampled_from(events), max_size=6))
    left, heard = data.draw(st.permutations([*events, *again])), {}
    while left:
        size = data.draw(st.integers(1, len(left)))
        # An id that was given up for another one is not heard of again; here each id has its own last word.
        batch = batch_of(left[: 1 if renames(heard, batch_of(left[:size])) else size])
        feed.results(**batch)
        hear(heard, batch)
        left = left[sum(map(len, batch.values())) :]
    assert feed.booked() == sorted(facts for facts, state, _ in heard.values() if state == "booked")
    staying = {
        f"L{number}": changed or first
        for number, (first, changed, is_gone) in enumerate(histories)
        if not is_gone
    }
    assert all(heard[name][:2] == (told[:2], "booked") for name, told in staying.items())
    assert sound(bank) == []


@examples(7, 1000)
@given(
    lines=st.lists(facts, min_size=1, max_size=9),
    windows=st.lists(window, max_size=2),
    data=st.data(),
)
def test_a_feed_and_files_in_any_order_give_the_union(fresh_feed, bank, lines, windows, data):
    feed = fresh_feed()
    pushed = data.draw(st.sets(st.sampled_from(range(len(lines)))))
    pieces = data.draw(st.permutations([*((number,) for number in pushed), tuple(pushed)]))
    acts = [partial(push, feed, lines, piece) for piece in pieces]
    acts += [partial(import_window, feed, lines, *shown) for shown in windows]
    for act in data.draw(st.permutations(acts)):
        act()
    expected = Counter(
        told[:2]
        for number, told in enumerate(lines)
        if number in pushed or any(first <= told[0] <= last for first, last in windows)
    )
    assert Counter(feed.booked()) == expected
    assert sound(bank) == []


def push(feed, lines, numbers):
    feed.results(added=[said(f"L{number}", lines[number]) for number in numbers])


def import_window(feed, lines, first, last):
    shown = [Line(day, amount, text) for day, amount, text in lines if first <= day <= last]
    feed.import_(bank_file(*shown, account=None), f"window-{next(NUMBERS)}.ofx")


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_twins_all_survive_by_feed_and_by_file(feed, count):
    twins = [line(f"T{number}") for number in range(count)]
    for number in range(10):
        feed.results(added=twins[number % count :])
    assert len(feed.booked()) == count
    shown = [Line("2026-03-02", "-12.50", "Coffee Bar")] * count
    feed.import_(bank_file(*shown, account=None))
    feed.import_(bank_file(*shown, Line("2026-03-09", "-1.00", "Wider"), account=None), "wider.ofx")
    feed.results(added=twins)
    assert len(feed.booked()) == count + 1


@given(changes=raw, gone=st.sets(st.sampled_from(sorted(line())), max_size=1))
def test_what_is_read_quickly_is_what_the_schema_reads(changes, gone):
    told = {name: value for name, value in {**line(), **changes}.items() if name not in gone}
    read = fast_line(told)
    if read is not None:
        assert read == FeedLineSchema().load(told)


def test_a_plain_line_is_read_quickly():
    assert fast_line(line(reference="E2E", valueOn="2026-03-03", pendingTransactionId="P1")) is not None


@pytest.mark.parametrize("told", [None, [], "x", line(amount=12.5), line(bookedOn="2 Mar"), line(unknown=1)])
def test_what_is_wrong_is_left_to_the_schema(told):
    assert fast_line(told) is None
    with pytest.raises(ma.ValidationError):
        FeedLineSchema().load(told)
