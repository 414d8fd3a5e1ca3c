"""What pages show in a notation is read back as the same amount and day, and what could be two is refused."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.ledger.notation.amounts import read, readings, written
from webapp.ledger.notation.days import EARLIEST, LATEST, read_day, written_day, written_short_day
from webapp.ledger.notation.locales import NOTATIONS, REGIONS
from webapp.web.rendering.notation import worded

TODAY = date(2026, 11, 23)
notations = st.sampled_from(list(NOTATIONS.values()))
minors = st.integers(-(2**63) + 1, 2**63 - 1)
digits = st.sampled_from([0, 2, 3, 4])
days = st.dates(EARLIEST, LATEST)
# What people type, and what they should not have.
fumbles = st.text("0123456789.,' -+()\N{MINUS SIGN}\N{NO-BREAK SPACE}", max_size=14)


@given(minors, digits, notations)
def test_a_shown_amount_is_read_as_the_same_amount(minor, places, notation):
    amount = Decimal(minor).scaleb(-places)
    plain = format(amount, "f")
    assert read(written(plain, notation), notation) == amount
    assert read(written(plain, notation, is_grouped=False), notation, is_grouped=False) == amount


@given(days, days, notations)
def test_a_shown_day_is_read_as_the_same_day(day, today, notation):
    assert read_day(written_day(day, notation), today, notation) == day
    assert read_day(day.isoformat(), today, notation) == day


@given(st.integers(0, 360), notations)
def test_a_day_without_its_year_is_the_newest_one_up_to_today(back, notation):
    day = TODAY - timedelta(back)
    assert read_day(written_short_day(day, notation), TODAY, notation) == day


@given(fumbles, notations)
def test_what_is_read_means_nothing_else_or_what_the_notation_writes(text, notation):
    found = read(text, notation)
    if found is None:
        return
    assert found in readings(text)
    if len(readings(text)) > 1:
        own = {notation.decimal, notation.group}
        assert set(text) & set(",.") <= own, "two meanings, and none of the notation's own"


@pytest.mark.parametrize(("text", "locale"), [("1.234", "en-FR"), ("1,234", "en-CH"), ("12.345", "en-SE")])
def test_a_mark_that_the_notation_does_not_have_is_refused_before_three_digits(text, locale):
    assert read(text, NOTATIONS[locale]) is None


@given(st.integers(1, 12), st.integers(1, 12), st.sampled_from("./-"), notations)
def test_two_numbers_are_a_day_where_the_notation_has_an_order_for_them(first, second, mark, notation):
    found = read_day(f"{first}{mark}{second}", TODAY, notation)
    if notation.order == "YMD" and first != second:
        assert found is None
    else:
        day, month = (second, first) if notation.order == "MDY" else (first, second)
        assert (found.day, found.month) == (day, month)
        assert TODAY - timedelta(366) < found <= TODAY


@given(minors, digits, days, notations)
def test_a_sentence_has_its_amount_and_its_day_in_the_notation(minor, places, day, notation):
    amount = format(Decimal(minor).scaleb(-places), "f")
    said = f"“{written(amount)} EUR” is off by {written(amount)} EUR since {written_day(day)}."
    if abs(minor) < 1000 and not places:
        return
    shown = worded(said, notation)
    assert shown == (
        f"“{written(amount)} EUR” is off by {written(amount, notation)} EUR since {written_day(day, notation)}."
    )


def test_every_region_has_one_notation():
    assert {notation.locale for notation in NOTATIONS.values()} == {f"en-{code}" for code in REGIONS}
