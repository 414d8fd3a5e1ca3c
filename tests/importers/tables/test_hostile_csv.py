"""No CSV, however made, holds the reader up, crashes it or fills the memory."""

import time
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from tests.importers.hostile import SIZE, held_up, outcome, outcome_of_text

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


def test_what_is_repeated_without_end_is_settled_in_time(portion):
    for mapping in (None, MAPPING):
        for place, start in enumerate((HEAD, f"{HEAD}2026-03-01,Tea,-3.00,97.00\n2026-03-02,")):
            texts = (start + piece * (SIZE // len(piece)) for piece in portion(7, PIECES, place))
            assert held_up(texts, partial(outcome_of_text, mapping=mapping)) == []


def test_a_hundred_thousand_lines_are_read_in_a_few_seconds(rounds):
    count = rounds(20_000, 100_000)
    text = HEAD + "".join(f"2026-03-{n % 28 + 1:02d},Shop {n},-1.00,{-n - 1}.00\n" for n in range(count))
    began = time.process_time()
    (statement,) = outcome_of_text(text).statements
    assert len(statement.lines) == count
    assert time.process_time() - began < 15 * count / 100_000  # idle it takes two seconds for all


def test_more_rows_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr("webapp.importers.tables.rows.MAX_LINES", 3)
    assert "more than 3 rows" in outcome_of_text(HEAD + "2026-03-01,Tea,-3.00,97.00\n" * 9).message


@given(st.binary(max_size=400))
def test_any_bytes_are_read_or_refused(data):
    outcome(data, MAPPING)
    outcome(HEAD.encode() + data)


@given(st.text(alphabet='01-,;."\n\t 2Da', max_size=200))
def test_any_table_is_read_or_refused(text):
    outcome_of_text(HEAD + text, MAPPING)
    outcome_of_text(HEAD + text)
