"""No XML, however made, holds the reader up, fills the memory or reaches out of itself."""

import re
import tracemalloc

import pytest

from tests.fixtures.bank_files.camt_files import entry, message, payment, statement
from tests.importers.hostile import SIZE, held_up, outcome
from webapp.importers import FileRefusedError, read, xml_feeding, xml_records

INSIDE = "<Document><BkToCstmrStmt><Stmt><Ntry>"
PIECES = [
    "<", "<A", "<A ", "<A>", "<A/>", "</A>", "<!--", "<![CDATA[", "<?x ", "&", "&#1;", "&x;", "<Amt Ccy='", "x",
]  # fmt: skip


def test_what_is_repeated_without_end_is_settled_in_time_that_grows_with_it(portion):
    for place, start in enumerate(("<Document>", INSIDE)):
        texts = ((start + piece * (SIZE // len(piece))).encode() for piece in portion(7, PIECES, place))
        assert held_up(texts, refused) == []


def refused(data):
    assert isinstance(outcome(data), FileRefusedError), data[:200]


@pytest.mark.parametrize("opening", ["<A x='", "<!-- ", "<?x "])
def test_a_tag_without_end_is_given_up(opening):
    refusal = outcome((INSIDE + opening + "y" * 5 * SIZE).encode())
    assert "without an end" in refusal.message


def test_a_bomb_of_entities_is_refused_where_it_is_declared():
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE Document [<!ENTITY l0 "ha">{laughs}]><Document><BkToCstmrStmt>&l9;</BkToCstmrStmt></Document>'
    assert "document type" in outcome(bomb.encode()).message


def test_depth_is_refused():
    for start in ("<Document>", INSIDE):
        ends = "".join(f"</{name}>" for name in reversed(re.findall(r"<(\w+)", start)))
        deep = start + "<A>" * 100_000 + "</A>" * 100_000 + ends
        assert "too deeply" in outcome(deep.encode()).message


def test_more_elements_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr(xml_feeding, "MAX_TAGS", 60)
    assert "more than 60 tags" in outcome(message(statement(entry(), entry(), entry()))).message


def test_more_attributes_than_any_export_has_are_refused():
    """A million of them in tags that are not too long took ten times as long as a million tags."""
    tag = "<A " + " ".join(f"a{number}=''" for number in range(10_000)) + "/>"
    crowded = INSIDE + tag * (xml_feeding.MAX_ATTRIBUTES // 10_000 + 1)
    assert "attributes" in outcome(crowded.encode()).message


def test_more_records_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr(xml_records, "MAX_RECORDS", 3)
    assert "more than 3 entries" in outcome(message(statement(entry(), entry(), entry()))).message


def test_more_lines_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr("webapp.importers.camt.reader.MAX_LINES", 2)
    assert "too many lines" in outcome(message(statement(entry(), entry(), entry()))).message


@pytest.mark.rare
def test_a_batch_of_very_many_payments_is_one_line_in_little_memory():
    data = message(statement(entry("1", "CRDT", *[payment(text="Tea")] * 40_000)))
    tracemalloc.start()
    (account,) = read(data).statements
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [len(line.description) for line in account.lines] == [3]
    assert peak < len(data) + 20_000_000


def test_a_long_text_is_cut_and_not_refused():
    (account,) = read(message(statement(entry("1", "DBIT", payment(text="long " * SIZE))))).statements
    assert len(account.lines[0].description) <= 4_000
