"""Whatever is done to a sound file, it is read or refused; and what is cut off is never taken for the whole."""

import io
import random
import time
import tracemalloc
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fixtures.bank_files import camt_files, ofx_files
from tests.fixtures.bank_files.xlsx_files import archive
from tests.importers.hostile import ALLOWED_SECONDS, SOUND, lines, outcome, timed
from webapp.importers import FileRefusedError, texts
from webapp.importers.bank_files import BankFile

FRAMED = ("ofx", "ofx2", "camt", "xlsx")
TOKENS = [
    *(
        b"",
        b"\0",
        b"\n",
        b'"',
        b"<",
        b">",
        b"&",
        b"-",
        b"=",
        b",",
        b";",
        b"^\n",
        b":61:",
        b"!Type:Bank\n",
        b"PK\3\4",
    ),
    *(
        b"9" * 400,
        b"1e999",
        b"-0",
        b"NaN",
        b"00000000",
        b"99999999",
        b"2026-02-30",
        b"\xff\xfe",
        b"\xef\xbb\xbf",
    ),
    *(
        b"\x80",
        b"\xc3",
        b"<STMTTRN>",
        b"</OFX>",
        b"<Ntry>",
        b"</Document>",
        b"<!DOCTYPE x>",
        b"]]>",
        b"(" * 50,
    ),
    *(
        "\u0661\u0662".encode(),
        "\u202e".encode(),
        b"Infinity",
        b"1,2,3.4.5",
        b"--",
        b"\x1a",
        b"\r",
        b"sep=;\n",
    ),
]
# What a file begins with before bytes that nobody chose.
BEGINNINGS = {
    "camt": (b"<Document>", b"<Document><BkToCstmrStmt><Stmt><Ntry>"),
    "ofx": (b"", b"OFXHEADER:100\n", b"<OFX><STMTRS>", b"<OFX><STMTRS><CURDEF>EUR<BANKTRANLIST><STMTTRN>"),
    "mt940": (b":20:X\n:25:1\n:60F:C260301EUR1,\n", b":20:X\n:25:1\n:60F:C260301EUR1,\n:61:"),
    "qif": (b"!Type:Bank\n", b"!Type:Bank\nD31/03/2026\nT"),
}
MANY = 5_000
ENCODINGS = ("utf-16", "utf-16-be", "utf-32", "cp037", "utf-7", "gb18030")


def mutated(chance, data, other):
    """The data with a few changes of one of many kinds."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 5, 20))):
        place = chance.randrange(len(made) + 1)
        length = chance.choice((1, 1, 2, 8, 60))
        match chance.randrange(7):
            case 0 if place < len(made):
                made[place] ^= 1 << chance.randrange(8)
            case 1:
                made[place : place + length] = chance.choice(TOKENS)
            case 2:
                made[place:place] = chance.choice(TOKENS)
            case 3:
                del made[place : place + length]
            case 4:
                made[place:place] = made[place : place + length] * chance.choice((1, 3, 200))
            case 5:
                start = chance.randrange(len(other))
                made[place:place] = other[start : start + length]
            case _:
                made[place : place + length] = chance.randbytes(length)
    if chance.random() < 0.05:
        return bytes(made[chance.randrange(len(made) + 1) :]) + other
    if chance.random() < 0.05:
        return bytes(made).decode("latin-1").encode(chance.choice(ENCODINGS), errors="replace")
    return bytes(made)


def within(chance, other):
    """A workbook with a part that is changed and packed anew, for a change of the packed one is never read."""
    with zipfile.ZipFile(io.BytesIO(SOUND["xlsx"])) as opened:
        parts = {name: opened.read(name) for name in opened.namelist()}
    name = chance.choice(["xl/worksheets/sheet1.xml", *parts])
    return archive({**parts, name: mutated(chance, parts[name], other)})


@pytest.mark.parametrize("name", SOUND)
def test_a_sound_file_is_read(name):
    assert lines(outcome(SOUND[name])) == 2


@pytest.mark.parametrize("name", SOUND)
def test_any_change_of_a_sound_file_is_read_or_refused(name, rounds, figure):
    chance = random.Random(name)  # noqa: S311
    count, slowest, taken = rounds(60, 10_000), 0.0, 0
    for _ in range(count):
        other = SOUND[chance.choice(list(SOUND))]
        is_within = name == "xlsx" and chance.random() < 0.8
        data = within(chance, other) if is_within else mutated(chance, SOUND[name], other)
        found, took = timed(data)
        assert isinstance(found, (BankFile, FileRefusedError))
        slowest, taken = max(slowest, took), taken + isinstance(found, BankFile)
    assert slowest < ALLOWED_SECONDS / 4
    figure(
        "P48",
        f"{count:,} changed {name} files: {taken:,} read, the others refused, the slowest {slowest:.3f} s",
    )


@pytest.mark.parametrize("name", FRAMED)
def test_every_beginning_of_a_framed_file_is_refused_or_is_all_of_it(name):
    data = SOUND[name]
    end = len(data.rstrip())
    for length in range(end):
        found = outcome(data[:length])
        assert isinstance(found, FileRefusedError) or (name.startswith("ofx") and length >= end - 1)


def test_every_beginning_of_an_mt940_file_is_refused_or_warned_of_or_has_all_lines():
    data = SOUND["mt940"]
    for length in range(len(data)):
        found = outcome(data[:length])
        if isinstance(found, BankFile):
            assert lines(found) == 2 or found.warnings


@pytest.mark.parametrize("name", ["qif", "csv"])
def test_a_beginning_without_a_frame_has_whole_lines_of_the_file_or_is_refused(name):
    """Nothing in these formats says where they end: cut between two lines, they are sound and shorter."""
    data = SOUND[name]
    whole = [line for statement in outcome(data).statements for line in statement.lines]
    for length in range(len(data)):
        found = outcome(data[:length])
        if name == "qif" and isinstance(found, BankFile):
            read = [line for statement in found.statements for line in statement.lines]
            assert read == whole[: len(read)]
        assert isinstance(found, (BankFile, FileRefusedError))


@pytest.mark.parametrize("name", ["qif", "mt940"])
def test_more_lines_of_text_than_any_export_has_are_refused(name, monkeypatch):
    monkeypatch.setattr(texts, "MAX_TEXT_LINES", 5)
    assert "more than 5 lines of text" in outcome(SOUND[name]).message


@pytest.mark.parametrize("name", BEGINNINGS)
@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(name, data):
    for start in BEGINNINGS[name]:
        found = outcome(start + data)
        assert isinstance(found, BankFile) or found.message


def of_many_lines(name):
    if name == "camt":
        entries = (camt_files.entry(reference=str(number)) for number in range(MANY))
        return camt_files.message(camt_files.statement(*entries))
    if name == "ofx":
        listed = (ofx_files.transaction(FITID=str(number)) for number in range(MANY))
        return ofx_files.xml(ofx_files.statement(*listed))
    line = ":61:2603020302D12,50NTRFE7//B1\n:86:166?00SEPA?20SVWZ+Tea?32Tea shop\n"
    return f":20:X\n:25:1\n:28C:1\n:60F:C260301EUR1,\n{line * MANY}:62F:C260301EUR1,\n".encode()


@pytest.mark.rare
@pytest.mark.parametrize("name", ["camt", "ofx", "mt940"])
def test_thousands_of_lines_are_read_in_little_time_and_memory(name):
    data = of_many_lines(name)
    tracemalloc.start()
    began = time.process_time()
    found = outcome(data)
    took, (_, peak) = time.process_time() - began, tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert lines(found) == MANY
    assert took < 20  # tracing makes it many times slower
    assert peak < 15_000_000
