"""A bank line is known again in every later file; and lines of a day and amount are paired as comparing each would."""

from collections import Counter
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.matching.duplicates import AS_OFTEN, ONLY, POSSIBLE, SAME, pair_duplicates
from webapp.ledger.matching.joins import LEAST_WORD, LineReport, Pairing, contradict, words_of
from webapp.ledger.matching.lines import is_placeholder, line_keys

DAY = date(2026, 3, 1)
TEXTS = ["", "Coffee", "coffee ", "Rent March", "Rent", "Coffee Rent", "4711", "Bakery", "Bar Coffee"]


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


def of_each_with_each(new, existing, refused):
    """Pair by the definition, with no regard to time."""

    def may(one, other):
        return (one.id, other.id) not in refused and (other.id, one.id) not in refused

    found, new, existing = [], list(new), list(existing)
    for report in list(new):
        twin = next((each for each in existing if each.text == report.text and may(each, report)), None)
        if twin is not None:
            new.remove(report)
            existing.remove(twin)
            found.append(Pairing(twin.id, report.id, "TWIN", is_certain=True, reason=SAME))
    fits = {
        report.id: [each for each in existing if may(each, report) and not contradict(each, report)]
        for report in new
    }
    if len(new) == len(existing) and all(len(fits[report.id]) == len(existing) for report in new):
        pairs = zip(existing, new, strict=True)
        return found + [Pairing(each.id, report.id, "TWIN", True, AS_OFTEN) for each, report in pairs]  # noqa: FBT003
    for report in list(new):
        if len(fits[report.id]) == 1 and sum(fits[report.id][0] in others for others in fits.values()) == 1:
            new.remove(report)
            existing.remove(fits[report.id][0])
            found.append(Pairing(fits[report.id][0].id, report.id, "TWIN", is_certain=True, reason=ONLY))
    for report in new:
        left = next((each for each in existing if may(each, report)), None)
        if left is not None:
            existing.remove(left)
            found.append(Pairing(left.id, report.id, "TWIN", is_certain=False, reason=POSSIBLE))
    return found


texts = st.lists(st.sampled_from(TEXTS), max_size=7)


@given(texts, texts, st.sets(st.tuples(st.integers(1, 7), st.integers(-7, -1)), max_size=5), st.booleans())
def test_pairs_are_those_of_comparing_each_with_each(new, existing, refused, turned):
    """Whatever the texts are, and whatever a person refused."""
    incoming = [LineReport(-place, DAY, -500, text, None) for place, text in enumerate(new, 1)]
    stored = [LineReport(place, DAY, -500, text, None) for place, text in enumerate(existing, 1)]
    pairs = {(other, one) for one, other in refused} if turned else refused
    assert pair_duplicates(incoming, stored, pairs) == of_each_with_each(incoming, stored, pairs)
