"""The quick reading of a pushed line is the schema's own, wherever it dares to answer."""

import marshmallow as ma
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.feeds import line
from webapp.schemas.pushes import KEYS, FeedLineSchema, fast_line

WORDS = ["", "0", "-0.00", "1e3", "12.5", "\u0661", "a\0b", "\ud800", "2026-02-30", "2026-1-1", "0001-01-01"]
CODES = ["eur", "RUR", "XAU", "JPY"]
ODD = st.sampled_from([None, True, 1, 1.5, [], {}, "a" * 256, "9" * 30, *WORDS, *CODES])
raw = st.dictionaries(st.sampled_from([*sorted(KEYS), "unknown"]), ODD | st.text(max_size=4), max_size=4)


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
