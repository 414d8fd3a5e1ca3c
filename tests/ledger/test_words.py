"""The words of a text by which lines are compared: runs of letters, whatever else stands between them."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.matching.joins import LEAST_WORD, words_of

ASCII = st.text(st.characters(max_codepoint=127))
# What is a letter for Python, and a word's part for a regular expression, and not both.
MIXED = st.text(st.sampled_from("abcdeéßöŒ²Ⅷ½٣ªʰ中_-1 \u0301\u200d\n"))


@given(st.one_of(ASCII, MIXED, st.text()))
def test_words_are_the_runs_of_letters_that_are_long_enough(text):
    runs = ("".join(run) for is_letter, run in groupby(text, str.isalpha) if is_letter)
    assert words_of(text) == [run for run in runs if len(run) >= LEAST_WORD]
