"""No file, however made, holds the reader up, fills the memory or reaches out of itself."""

import pytest

from tests.fixtures.bank_files.ofx_files import document, statement, transaction, written, xml
from tests.importers.hostile import SIZE, held_up, outcome
from webapp.importers import FileRefusedError, read
from webapp.importers.bank_files import BankFile
from webapp.importers.ofx import sgml

INSIDE = "<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST><STMTTRN><DTPOSTED>20260101<TRNAMT>1<FITID>1<MEMO>"
PIECES = [
    "<", "<A", "<A ", "</", "<A>", "</A>", "<A/>", "<!", "<!-", "<?", "<?x ", "<?x>", "<a:", "]]>", "-->",
    "&", "&amp", "&#", "&#x1;", "\t", "<STMTTRN>", "</STMTTRN>", "<PAYEE>", "<MEMO>x", "<NAME>\x00",
    "<TRNAMT>1", "<STATUS><CODE>9</STATUS>",
]  # fmt: skip


@pytest.mark.rare
def test_what_is_repeated_without_end_is_settled_in_time_that_grows_with_it(portion):
    for place, start in enumerate(("<OFX>", INSIDE)):
        texts = (
            (start + piece * (SIZE // len(piece)) + "</OFX>").encode() for piece in portion(7, PIECES, place)
        )
        assert held_up(texts, outcome) == []


@pytest.mark.parametrize("opening", ["<!--", "<![CDATA["])
def test_a_passage_that_never_ends_is_refused_at_its_first_mark(opening):
    refusal = outcome((INSIDE + opening * (SIZE // len(opening))).encode())
    assert isinstance(refusal, FileRefusedError)
    assert "cut off" in refusal.message


@pytest.mark.parametrize("field", ["DTPOSTED", "TRNAMT", "FITID", "DTTRAN", "BALAMT", "CURDEF", "ACCTID"])
def test_a_value_without_end_is_refused_with_a_short_message(field):
    text = written(document(statement(transaction())))
    for digit in ("9", "1,", "x", " 1"):
        refusal = outcome(text.replace(f"<{field}>", f"<{field}>{digit * (SIZE // 2)}").encode())
        assert isinstance(refusal, BankFile) if field == "DTTRAN" else len(refusal.message) < 300


def test_a_long_text_is_cut_and_not_refused():
    (account,) = read(xml(statement(transaction(MEMO="long " * SIZE)))).statements
    assert len(account.lines[0].description) < 10_000


def test_depth_costs_nothing():
    names = [f"A{number}" for number in range(100_000)]
    deep = "".join(f"<{name}>" for name in names) + "".join(f"</{name}>" for name in reversed(names))
    text = written(document(statement(transaction()))).replace("<STMTTRN>", f"{deep}<STMTTRN>")
    assert len(read(text.encode()).statements[0].lines) == 1


def test_more_lines_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr("webapp.importers.ofx.reader.MAX_LINES", 3)
    assert len(read(xml(statement(*[transaction()] * 3))).statements[0].lines) == 3
    assert "more than 3 lines" in outcome(xml(statement(*[transaction()] * 4))).message


def test_more_tags_than_any_export_has_are_refused(monkeypatch):
    monkeypatch.setattr(sgml, "MAX_TAGS", 20)
    assert "more than 20 tags" in outcome(xml(statement(transaction()))).message


def test_more_statements_than_any_export_has_are_refused():
    text = "<OFX>" + "<STMTRS><CURDEF>EUR<LEDGERBAL><BALAMT>1</LEDGERBAL></STMTRS>" * 10_001 + "</OFX>"
    assert "statements" in outcome(text.encode()).message


def test_warnings_are_few_however_many_errors_there_are():
    errors = "".join(f"<STATUS><CODE>{code}</STATUS>" for code in range(1, 5000))
    assert len(read(f"<OFX>{errors}</OFX>".encode()).warnings) == 20


@pytest.mark.parametrize(
    "name", ["zlib", "bz2", "hex", "rot13", "punycode", "idna", "unicode_escape", "undefined", "x" * 999]
)
def test_a_charset_that_is_none_is_passed_over(name):
    data = f"OFXHEADER:100\nCHARSET:{name}\n{written(document(statement(transaction(NAME='Café'))))}".encode(
        "cp1252"
    )
    assert outcome(data).statements[0].lines[0].counterparty == "Café"
