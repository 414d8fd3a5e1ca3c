"""Money is exact: what is written comes back, and what does not fit is refused."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.currencies import ACTIVE, DIGITS, SUCCESSORS, UnknownCurrencyError, canonical, digits
from webapp.ledger.money import (
    MAX_MINOR,
    AmountTooLargeError,
    MixedCurrenciesError,
    Money,
    NotAnAmountError,
    TooManyDigitsError,
    total,
)

currencies = st.sampled_from(sorted(DIGITS))
minors = st.integers(-MAX_MINOR, MAX_MINOR)


@given(minors, currencies)
def test_what_is_written_reads_back(minor, currency):
    money = Money(minor, currency)
    assert Money.of(str(money), currency) == money
    assert Money.of(money.decimal, currency) == money
    assert len(str(money).partition(".")[2]) == digits(currency)


@given(minors, currencies, st.integers(0, 300))
def test_trailing_zeros_are_no_digits(minor, currency, zeros):
    text = str(Money(minor, currency))
    assert Money.of((text if "." in text else text + ".") + "0" * zeros, currency).minor == minor


@given(st.integers(-(10**15), 10**15), currencies, st.integers(1, 300))
def test_one_digit_too_many_is_refused_however_far_out_it_stands(minor, currency, places):
    text = str(Money(minor, currency))
    long = (text if "." in text else text + ".") + "0" * (places - 1) + "1"
    with pytest.raises(TooManyDigitsError):
        Money.of(long, currency)
    assert Money.rounded(long, currency).minor in {minor, minor + (1 if minor >= 0 else -1)}


@pytest.mark.parametrize(
    ("amount", "expected"),
    [("0.005", 1), ("-0.005", -1), ("0.0049", 0), ("2.675", 268), ("-2.674999", -267), ("1e2", 10000)],
)
def test_rounding_goes_half_away_from_zero(amount, expected):
    assert Money.rounded(amount, "EUR").minor == expected


@pytest.mark.parametrize(
    "text", ["92233720368547758.08", "-92233720368547758.08", "1e17", "1e999999", "9" * 400]
)
def test_more_than_64_bits_is_refused(text):
    with pytest.raises(AmountTooLargeError):
        Money.of(text, "EUR")
    with pytest.raises(AmountTooLargeError):
        Money.rounded(text, "EUR")


def test_the_largest_amount_fits_and_rounds_in():
    assert Money.of("92233720368547758.07", "EUR").minor == MAX_MINOR
    assert Money.rounded("92233720368547758.074", "EUR").minor == MAX_MINOR


@pytest.mark.parametrize(
    "text", ["", "1_000", " 1", "\u0661", "NaN", "Infinity", "1,5", "--1", "e", Decimal("NaN")]
)
def test_what_is_no_amount_is_refused(text):
    with pytest.raises(NotAnAmountError):
        Money.of(text, "EUR")


def test_currencies_do_not_mix():
    with pytest.raises(MixedCurrenciesError):
        Money(1, "EUR") + Money(1, "USD")
    with pytest.raises(MixedCurrenciesError):
        assert Money(1, "EUR") < Money(1, "USD")
    assert total([], "JPY") == Money.zero("JPY")
    assert total([Money(1, "EUR"), -Money(3, "EUR"), abs(Money(-2, "EUR"))], "EUR") == Money.zero("EUR")


def test_codes_are_read_without_case_and_replaced_ones_by_their_successor():
    assert canonical("usd") == "USD"
    assert canonical("rur") == "RUB"
    assert all(successor in ACTIVE for successor in SUCCESSORS.values())
    assert not SUCCESSORS.keys() & DIGITS.keys()


@pytest.mark.parametrize("code", ["", "EU", "EURO", "€", "XXX", "XAU", "eu\0", "\u0415UR", "123"])
def test_what_is_no_currency_is_refused(code):
    with pytest.raises(UnknownCurrencyError):
        canonical(code)
