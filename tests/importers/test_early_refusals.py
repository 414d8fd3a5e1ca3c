"""What has more lines than any bank file is refused by counting, before anything is parsed or kept."""

import tracemalloc

import pytest

from tests.importers.hostile import SOUND, outcome
from webapp import importers
from webapp.importers import FileRefusedError, texts
from webapp.importers.camt import reader as camt
from webapp.importers.mt940 import reader as mt940
from webapp.importers.ofx import reader as ofx
from webapp.importers.qif import reader as qif
from webapp.importers.tables import rows

CSV = b"Date;Description;Amount\n" + b"2026-03-01;Coffee;-2,50\n" * 20
MT940 = b":20:X\n:25:1/2\n:28C:1/1\n:60F:C260301EUR0,\n" + b":61:2603010301D2,50NMSCNONREF\n" * 20
OFX = b"<OFX>" + b"<STMTTRN><DTPOSTED>20260301<TRNAMT>1.00</STMTTRN>" * 20 + b"</OFX>"
QIF = b"!Type:Bank\r\n" + b"D2026-03-01\r\nT1.00\r\n^\r\n" * 20
CAMT = (
    b'<?xml version="1.0"?><Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><BkToCstmrStmt><Stmt>'
    + b"<Ntry></Ntry>" * 20
)


@pytest.mark.parametrize(
    ("data", "module", "limit", "parser"),
    [
        (CSV, rows, "_MAX_TEXT_LINES", "decode"),
        (CSV, rows, "_MAX_SLOTS", "decode"),
        (CSV, rows, "_MAX_LINE", "decode"),
        (MT940, mt940, "MAX_LINES", "Mt940Parser"),
        (OFX, ofx, "MAX_LINES", "OfxParser"),
        (OFX.lower().replace(b"<", b"<o:").replace(b"<o:/", b"</o:"), ofx, "MAX_LINES", "OfxParser"),
        (QIF, qif, "MAX_LINES", "records"),
        (CAMT, camt, "MAX_LINES", "XmlRecords"),
    ],
    ids=["lines", "cells", "long line", "mt940", "ofx", "ofx in other letters", "qif", "camt"],
)
def test_too_many_lines_are_counted_before_they_are_parsed(monkeypatch, data, module, limit, parser):
    def parse(*_args, **_options):
        raise AssertionError("It was parsed.")

    monkeypatch.setattr(module, limit, 5)
    monkeypatch.setattr(module, parser, parse)
    with pytest.raises(FileRefusedError, match=r"export|too long"):
        importers.read(data)


@pytest.mark.parametrize("end", [b"", b"</Stmt></Document>"], ids=["cut off", "damaged"])
def test_a_file_damaged_at_its_end_is_refused_before_its_lines_are_read(monkeypatch, end):
    def parse(*_args, **_options):
        raise AssertionError("Its lines were read.")

    monkeypatch.setattr(camt, "XmlRecords", parse)
    with pytest.raises(FileRefusedError, match=r"cut off|damaged"):
        importers.read(CAMT + end)


@pytest.mark.parametrize("name", ["ofx", "mt940", "qif", "csv", "tsv"])
def test_what_would_be_too_large_a_text_is_refused_before_it_is_one(monkeypatch, name):
    monkeypatch.setattr(texts, "MOST_BYTES", len(SOUND[name]) - 1)
    assert "the most for its format" in outcome(SOUND[name]).message
    monkeypatch.setattr(texts, "MOST_BYTES", len(SOUND[name]))
    assert not isinstance(outcome(SOUND[name]), FileRefusedError)


_TEXT = b"and what the bank writes beside it " * 25
_LONG = {
    "ofx": SOUND["ofx"][: SOUND["ofx"].index(b"<STMTTRN>")]
    + b"<STMTTRN><DTPOSTED>20260302<TRNAMT>-2.50<FITID>%d<MEMO>%s</STMTTRN>",
    "qif": b"!Type:Bank\nD2026-03-05\nT-2.50\nP%d\nM%s\n^\n",
    "csv": b"Date,Amount,Description\n2026-03-01,-2.50,%d %s\n",
    "camt": CAMT[: CAMT.index(b"<Ntry>")]
    + b'<Ntry><Amt Ccy="EUR">2.50</Amt><CdtDbtInd>DBIT</CdtDbtInd><BookgDt><Dt>2026-03-01</Dt></BookgDt>'
    b"<AcctSvcrRef>%d</AcctSvcrRef><AddtlNtryInf>%s</AddtlNtryInf></Ntry>",
}
_BEGINS = {"ofx": b"<STMTTRN>", "qif": b"D2", "csv": b"2026", "camt": b"<Ntry>"}


@pytest.mark.parametrize("name", _LONG)
def test_a_file_of_long_texts_takes_at_most_four_times_its_size_of_memory(name):
    at = _LONG[name].index(_BEGINS[name])
    head, line = _LONG[name][:at], _LONG[name][at:]
    end = b"</Stmt></BkToCstmrStmt></Document>" if name == "camt" else b""
    data = head + b"".join(line % (number, _TEXT) for number in range(1000)) + end
    tracemalloc.start()
    outcome(data)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 4 * len(data)
