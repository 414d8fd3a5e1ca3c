"""No number string is read wrongly in any declared format: it is exact, or it is refused."""

import itertools
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.importers import FileRefusedError
from webapp.importers.tables.amounts import exact, marks

FORMATS = [(".", ""), (".", ","), (".", "'"), (".", " "), (",", ""), (",", "."), (",", " "), (",", "'")]
SPACES = (" ", "\u00a0", "\u202f", "\u2009")
SIGNS = {
    "{}": 1,
    "+{}": 1,
    "-{}": -1,
    "\u2212{}": -1,
    "{}-": -1,
    "({})": -1,
    "- {}": -1,
    "{} CR": 1,
    "{} DR": -1,
}
WORDED = {"${}": 1, "-${}": -1, "{} €": 1, "EUR {}": 1, "-{} EUR": -1, "$({})": None, "+ ${}": 1}
WORDS = """
    - + abc ½ 1½ \u0661\u0662 \uff11\uff12 1e5 1_000 NaN Infinity 0x10 --5 +-5 -5- (-5) -(5) (5 5) 5..0 5,,0 1.2.3 1,2,3
    1E5 EUR 1,00,0 1.00.0 1'00 5% #5 5/2 =5 5h 5² ① 五 5. 5, 1.000.00 1,000,00 1.0000.000 1,0000,000 DR $ ()
    1'000'00 . , -. 0,0,0
"""
NEVER = [
    *WORDS.split(),
    "",
    " ",
    "-5 DR",
    "(5) CR",
    "5 CR DR",
    "1 .0",
    "5 EUR 6",
    "EUR 5 USD",
    "5 ABC",
    "12 34",
    "1 00",
    "9" * 40,
    "\x00",
    "1 000 00",
    "CR 5",
    "5 5",
    "5\n6",
    "5\t6",
]


def grouped(whole, mark):
    return f"{int(whole):,}".replace(",", mark)


def written():
    """Numbers in every format, with the text of each and what it is worth."""
    for (decimal, thousands), whole, part in itertools.product(
        FORMATS, ("0", "7", "1234", "1234567"), ("", "00", "5", "505")
    ):
        value = Decimal(f"{whole}.{part}" if part else whole)
        for mark in ("", *(SPACES if thousands == " " else (thousands,))):
            text = (grouped(whole, mark) if mark else whole) + (decimal + part if part else "")
            yield text, decimal, thousands, value


NUMBERS = list(written())


def test_there_are_more_than_three_hundred_strings():
    strings = {pattern.format(text) for text, *_ in NUMBERS for pattern in (*SIGNS, *WORDED)}
    assert len(strings | set(NEVER)) > 300


@pytest.mark.parametrize("pattern", SIGNS)
def test_a_number_is_read_exactly_in_its_format_with_every_sign(pattern):
    for text, decimal, thousands, value in NUMBERS:
        assert exact(pattern.format(text), decimal, thousands) == SIGNS[pattern] * value


@pytest.mark.parametrize("pattern", WORDED)
def test_a_currency_beside_a_number_changes_nothing(pattern):
    for text, decimal, thousands, value in NUMBERS:
        sign = WORDED[pattern] or -1
        assert exact(pattern.format(text), decimal, thousands) == sign * value


def test_in_another_format_a_number_is_the_same_or_refused_or_what_that_format_says():
    for (text, own, _, value), (decimal, thousands) in itertools.product(NUMBERS, FORMATS):
        read = exact(text, decimal, thousands)
        if read is None or read == value:
            continue
        # 1.234 is a thousand in one declared format and a little more than one in another: both are right.
        assert decimal != own
        behind = text.rpartition(own)[2] if own in text else text.rpartition(decimal)[2]
        assert len(behind) == 3


def test_what_is_no_number_is_none_in_any_format():
    read = {(text, *marks): exact(text, *marks) for text in NEVER for marks in FORMATS}
    assert not {case for case, number in read.items() if number is not None}


def test_a_format_that_no_amount_tells_is_asked_for():
    for texts in (["1,234"], ["1.234", "12"], ["1.50", "1,50"]):
        with pytest.raises(FileRefusedError, match="mapping"):
            marks(texts)


@given(st.lists(st.decimals(-(10**9), 10**9, places=2), min_size=1, max_size=20), st.sampled_from(FORMATS))
def test_a_files_amounts_are_found_in_whatever_format_they_are_written(values, marks_written):
    decimal, thousands = marks_written
    texts = [f"{value:,.2f}".translate({ord(","): thousands, ord("."): decimal}) for value in values]
    found = marks(texts)
    assert [exact(text, *found) for text in texts] == values


@given(st.text(max_size=30), st.sampled_from(FORMATS))
def test_any_text_is_an_exact_number_of_its_own_digits_or_none(text, marks_written):
    value = exact(text, *marks_written)
    if value is not None:
        digits = "".join(character for character in text if character in "0123456789")
        assert "".join(map(str, value.as_tuple().digits)).lstrip("0") == digits.lstrip("0")
