"""No CSV, however made, holds the reader up, crashes it or fills the memory."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.importers import FileRefusedError, read

SIZE = 1_000_000
HEAD = "Date,Description,Amount,Balance\n"
MAPPING = {"date": 0, "dateFormat": "%Y-%m-%d", "amount": 2, "decimal": ".", "thousands": ","}
PIECES = [
    '"',
    '""',
    '"\n',
    ",",
    ";",
    "\t",
    "\n",
    "\r",
    "1,",
    "a,b\n",
    "1.",
    "(",
    "-",
    "2026-03-01,",
    "=",
    " ",
    "€",
    "9",
]


def outcome(data, mapping=None):
    try:
        return read(data if isinstance(data, bytes) else data.encode(), mapping=mapping)
    except FileRefusedError as refusal:
        return refusal


@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("mapping", [None, MAPPING], ids=["found", "mapped"])
def test_what_is_repeated_without_end_is_settled_in_time(piece, mapping):
    for start in (HEAD, f"{HEAD}2026-03-01,Tea,-3.00,97.00\n2026-03-02,"):
        began = time.perf_counter()
        outcome(start + piece * (SIZE // len(piece)), mapping)
        assert time.perf_counter() - began < 10  # a quadratic reader takes many minutes


def test_a_hundred_thousand_lines_are_read_in_a_few_seconds():
    text = HEAD + "".join(f"2026-03-{n % 28 + 1:02d},Shop {n},-1.00,{-n - 1}.00\n" for n in range(100_000))
    began = time.perf_counter()
    (statement,) = outcome(text).statements
    assert len(statement.lines) == 100_000
    assert time.perf_counter() - began < 30  # idle it takes two


def test_more_rows_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr("webapp.importers.tables.rows.MAX_LINES", 3)
    assert "more than 3 rows" in outcome(HEAD + "2026-03-01,Tea,-3.00,97.00\n" * 9).message


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data):
    outcome(data, MAPPING)
    outcome(HEAD.encode() + data)


@given(st.text(alphabet='01-,;."\n\t 2Da', max_size=200))
def test_any_table_is_read_or_refused(text):
    outcome(HEAD + text, MAPPING)
    outcome(HEAD + text)
