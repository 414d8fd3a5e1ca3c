"""A day of a CSV file is read in the one format it can be in, or asked for."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.importers import FileRefusedError
from webapp.importers.tables.days import FORMATS, DayParser, found_format

WRITTEN = [
    "%Y-%m-%d",
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%y",
    "%Y%m%d",
    "%d %b %Y",
    "%Y-%m-%dT%H:%M:%S",
]
NO_DAYS = [
    "",
    "31/02/2026",
    "00/01/2026",
    "1/13/2026",
    "\u0660\u0661/\u0660\u0662/2026",
    "01/02/20266",
    "01/02/1026",
    "01-02-2026",
    "x",
]


@pytest.mark.parametrize("date_format", WRITTEN)
def test_a_hundred_days_are_read_as_they_were_written(date_format):
    for number in range(100):
        day = date(2025, 11, 20) + timedelta(days=number)
        assert DayParser(date_format).day(day.strftime(date_format)) == day


@pytest.mark.parametrize("text", NO_DAYS)
def test_what_is_no_day_in_the_format_is_none(text):
    assert DayParser("%d/%m/%Y").day(text) is None


def test_a_day_without_marks_between_has_all_of_its_digits():
    assert DayParser("%Y%m%d").day("2026115") is None


@given(
    st.lists(st.dates(date(1990, 1, 1), date(2060, 1, 1)), min_size=1, max_size=12), st.sampled_from(WRITTEN)
)
def test_a_format_that_is_found_reads_every_day_right(days, date_format):
    texts = [day.strftime(date_format) for day in days]
    # With points between, the day comes first.
    formats = [each for each in FORMATS if not each.startswith("%m.%d")]
    readings = {each: [DayParser(each).day(text) for text in texts] for each in formats}
    distinct = {tuple(reading) for reading in readings.values() if None not in reading}
    assert tuple(days) in distinct
    if len(distinct) == 1:
        assert readings[found_format(texts)] == days
    elif len(set(days)) < 5:
        with pytest.raises(FileRefusedError, match="mapping"):
            found_format(texts)
