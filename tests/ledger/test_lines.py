"""A bank line is known again in every later file, and never taken for another."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.matching.joins import LEAST_WORD, words_of
from webapp.ledger.matching.lines import is_placeholder, line_keys


@dataclass(frozen=True)
class Line:
    provider_transaction_id: str | None
    booked_on: date
    amount: Decimal
    pending: bool = False
    description: str = ""
    counterparty: str | None = None


# Few values of each fact, so that equal lines and shared references are common.
lines = st.lists(
    st.builds(
        Line,
        st.sampled_from([None, "", "NONREF", "000", "A1", "A2"]),
        st.sampled_from([date(2026, 1, 1), date(2026, 1, 2)]),
        st.sampled_from([Decimal("1.00"), Decimal("1.0"), Decimal(-1), Decimal(0)]),
        st.booleans(),
        st.sampled_from(["Rent", "Tea"]),
        st.sampled_from([None, "Ada"]),
    ),
    max_size=12,
)


@given(lines)
def test_the_same_file_gives_the_same_keys_and_no_key_twice(file):
    keys = line_keys(file)
    assert keys == line_keys(list(file))
    assert len(set(keys)) == len(keys) == len(file)


@given(lines, st.randoms(use_true_random=False))
def test_the_order_of_lines_is_no_part_of_their_keys(file, random):
    shuffled = random.sample(file, len(file))
    assert Counter(line_keys(shuffled)) == Counter(line_keys(file))


@given(lines, lines)
def test_a_wider_file_repeats_every_key_of_the_narrower(file, more):
    assert set(line_keys(file)) <= set(line_keys(more + file))


@given(lines)
def test_a_reference_never_swallows_a_line_of_another_day_or_amount(file):
    facts = {}
    for line, key in zip(file, line_keys(file), strict=True):
        same = facts.setdefault(key.digest, line)
        assert (same.booked_on, same.amount, same.pending) == (line.booked_on, line.amount, line.pending)
        if not is_placeholder(line.provider_transaction_id):
            assert same.provider_transaction_id == line.provider_transaction_id


@given(lines)
def test_pending_lines_do_not_shift_the_numbers_of_booked_ones(file):
    booked = [line for line in file if not line.pending]
    kept = [key for line, key in zip(file, line_keys(file), strict=True) if not line.pending]
    assert kept == line_keys(booked)


@given(lines)
def test_case_wrapping_and_trailing_zeros_change_no_key(file):
    written_anew = [
        replace(
            line,
            description=f" {line.description.upper()}\r\n",
            amount=line.amount.quantize(Decimal("0.0001")),
        )
        for line in file
    ]
    assert line_keys(written_anew) == line_keys(file)


def test_a_reference_outlives_a_change_of_text():
    line = Line("A1", date(2026, 1, 1), Decimal(5), description="Reserved")
    assert line_keys([line]) == line_keys([replace(line, description="Booked")])


def test_five_different_lines_under_one_placeholder_are_five():
    file = [Line("NONREF", date(2026, 1, 1), Decimal(5), description=text) for text in "abcde"]
    assert len({key.digest for key in line_keys(file)}) == 5


def test_identical_lines_are_counted():
    line = Line(None, date(2026, 1, 1), Decimal("-2.50"), description="Coffee")
    assert [key.occurrence for key in line_keys([line] * 5)] == [1, 2, 3, 4, 5]


ASCII = st.text(st.characters(max_codepoint=127))
# What is a letter for Python, and a word's part for a regular expression, and not both.
MIXED = st.text(st.sampled_from("abcdeéßöŒ²Ⅷ½٣ªʰ中_-1 \u0301\u200d\n"))


@given(st.one_of(ASCII, MIXED, st.text()))
def test_words_are_the_runs_of_letters_that_are_long_enough(text):
    runs = ("".join(run) for is_letter, run in groupby(text, str.isalpha) if is_letter)
    assert words_of(text) == [run for run in runs if len(run) >= LEAST_WORD]
