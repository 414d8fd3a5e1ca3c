"""Every entry adds up to nothing in the base currency, whatever its currencies, amounts and rates."""

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from webapp.ledger.currencies import DIGITS
from webapp.ledger.journal.entries import (
    Leg,
    TooFewPostingsError,
    UnbalancedError,
    check_amounts,
    check_balanced,
)
from webapp.ledger.journal.mirrors import RestAccounts, missing_currencies, share, with_mirrors
from webapp.ledger.money import MAX_MINOR, AmountTooLargeError
from webapp.ledger.rates import (
    ExchangeRateMissingError,
    RateNotPositiveError,
    cross,
    is_current,
    mirror,
    units_per_base,
    unmirror,
)

ROUNDING, REALISED = 901, 902
OWN_EXCHANGE = RestAccounts(ROUNDING, REALISED)
currencies = st.sampled_from(sorted(DIGITS))
amounts = st.integers(-(10**12), 10**12)
rates = st.decimals(Decimal("0.0001"), Decimal(100000), places=4).filter(bool)


@st.composite
def entries_in_one_currency(draw):
    currency = draw(currencies)
    parts = draw(st.lists(amounts, min_size=1, max_size=8))
    bank = draw(st.booleans())
    first = Leg(1, -sum(parts), currency, is_bank_leg=bank)
    return [first, *(Leg(2 + index, part, currency) for index, part in enumerate(parts))]


@given(amounts, st.lists(amounts, min_size=1, max_size=20))
def test_shares_add_up_and_do_not_care_for_the_sign(total, weights):
    assume(sum(weights) != 0)
    shares = share(total, weights)
    assert sum(shares) == total
    assert share(-total, weights) == [-part for part in shares]
    assert share(total, [-weight for weight in weights]) == shares
    exact = [Decimal(total) * weight / sum(weights) for weight in weights]
    assert all(abs(part - fair) < 1 + abs(fair) / 10**20 for part, fair in zip(shares, exact, strict=True))


def test_no_weight_shares_nothing_only():
    assert share(0, [5, -5]) == [0, 0]
    with pytest.raises(ValueError, match="5"):
        share(1, [5, -5])


@given(entries_in_one_currency(), currencies, rates)
def test_an_entry_in_one_currency_balances_without_a_further_leg(legs, base, rate):
    assume(max(abs(leg.amount_minor) for leg in legs) * len(legs) * 10**8 < MAX_MINOR)
    mirrored = with_mirrors(legs, base, {legs[0].currency: rate}, RestAccounts(ROUNDING))
    assert [replace(leg, amount_base_minor=None) for leg in mirrored] == legs
    check_balanced(mirrored, base)
    if legs[0].is_bank_leg and legs[0].amount_minor:
        paid = legs[0].amount_minor
        own = paid if legs[0].currency == base else mirror(paid, legs[0].currency, base, rate)
        assert mirrored[0].amount_base_minor == own


@given(amounts, amounts, rates)
def test_an_exchange_between_own_accounts_always_balances(euros, dollars, rate):
    legs = [Leg(1, euros, "EUR", is_bank_leg=True), Leg(2, dollars, "USD", is_bank_leg=True)]
    mirrored = with_mirrors(legs, "EUR", {"USD": rate}, OWN_EXCHANGE)
    check_balanced(mirrored, "EUR")
    rest = mirrored[2:]
    if rest:
        small = abs(rest[0].amount_minor) <= len(legs)
        assert rest[0].account_id == (ROUNDING if small else REALISED)


def test_a_large_rest_of_anything_else_is_refused_with_the_sum():
    legs = [Leg(1, -1000, "EUR"), Leg(2, 1300, "USD")]
    with pytest.raises(UnbalancedError, match=r"^Debits exceed credits by 1\.99 EUR\.$"):
        with_mirrors(legs, "EUR", {"USD": Decimal("1.0842")}, RestAccounts(ROUNDING))


def test_without_a_rate_nothing_is_mirrored_and_nothing_posts():
    legs = [Leg(1, -1000, "EUR", 5), Leg(2, 1084, "USD", 7), Leg(3, 9, "SEK")]
    assert missing_currencies(legs, "EUR", {"USD": Decimal(1)}) == ["SEK"]
    mirrored = with_mirrors(legs, "EUR", {"USD": Decimal(1)}, OWN_EXCHANGE)
    assert {leg.amount_base_minor for leg in mirrored} == {None}
    with pytest.raises(ExchangeRateMissingError):
        check_balanced(mirrored, "EUR")


def test_a_bank_leg_of_nothing_leads_no_others():
    legs = [Leg(1, 0, "USD", is_bank_leg=True), Leg(2, 500, "USD"), Leg(3, -500, "USD")]
    mirrored = with_mirrors(legs, "EUR", {"USD": Decimal("1.0842")}, RestAccounts(ROUNDING))
    assert [leg.amount_base_minor for leg in mirrored] == [0, 461, -461]


def test_fewer_than_two_postings_are_no_entry():
    with pytest.raises(TooFewPostingsError):
        check_amounts([Leg(1, 0, "EUR")])
    with pytest.raises(UnbalancedError, match="Credits exceed debits by 3 JPY"):
        check_amounts([Leg(1, -3, "JPY"), Leg(2, 0, "JPY")])


@given(st.integers(-(10**15), 10**15), rates)
def test_a_mirror_is_never_more_than_half_a_unit_off(amount, rate):
    base_minor = mirror(amount, "BHD", "JPY", rate)
    assert abs(Decimal(base_minor) - Decimal(amount).scaleb(-3) / rate) <= Decimal("0.5000001")
    assert mirror(-amount, "BHD", "JPY", rate) == -base_minor


@given(st.integers(-(10**12), 10**12), rates)
def test_a_base_amount_survives_the_way_through_a_finer_currency(amount, rate):
    assume(rate >= 1)
    assert mirror(unmirror(amount, "EUR", "BHD", rate), "BHD", "EUR", rate) == amount


def test_a_mirror_beyond_64_bits_and_a_rate_of_nothing_are_refused():
    with pytest.raises(AmountTooLargeError):
        mirror(MAX_MINOR, "JPY", "BHD", Decimal("0.001"))
    for rate in (Decimal(0), Decimal(-1), Decimal("NaN"), Decimal("Infinity")):
        with pytest.raises(RateNotPositiveError):
            mirror(1, "USD", "EUR", rate)


@given(rates, rates)
def test_a_cross_rate_has_twelve_significant_digits(currency, base):
    rate = cross(currency, base)
    assert len(rate.as_tuple().digits) <= 12
    assert abs(rate * base / currency - 1) < Decimal("1e-11")


def test_a_rate_against_the_euro_is_the_banks_own_figure():
    quoted = Decimal("25410.123456789012")
    assert units_per_base("VND", "EUR", {"VND": quoted}) == quoted
    assert units_per_base("EUR", "EUR", {}) == Decimal(1)


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(-20, 20))
def test_a_rate_serves_its_day_and_the_ten_after_it(rate_day, later):
    assert is_current(rate_day, rate_day + timedelta(days=later)) == (0 <= later <= 10)


def test_missing_rates_are_named_once_each_in_order():
    day = date(2026, 10, 30)
    error = ExchangeRateMissingError.on([(day, "USD"), (day, "JPY"), (day, "USD")])
    assert error.message.startswith(
        "There is no exchange rate for JPY on 2026-10-30, USD on 2026-10-30, or for"
    )
    assert error.details == {
        "missingRates": [
            {"day": "2026-10-30", "currency": "JPY"},
            {"day": "2026-10-30", "currency": "USD"},
        ]
    }
