"""No workbook, however made, holds the reader up, fills the memory or reaches out of itself."""

import io
import struct
import tracemalloc
import zipfile

import pytest

from tests.fixtures.bank_files import xlsx_files
from tests.fixtures.bank_files.xlsx_files import day, rows, workbook, worksheet
from tests.importers.hostile import ALLOWED_SECONDS, outcome, timed
from webapp.importers import FileRefusedError, archives
from webapp.importers.bank_files import BankFile
from webapp.importers.xlsx import parts

SHEET = "xl/worksheets/sheet1.xml"
TEA = (day(46086), "Tea", -3.5)
MEBIBYTE = 1024 * 1024


def with_part(content, name=SHEET):
    parts = xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA)))
    return xlsx_files.archive({**parts, name: content})


def with_cells(cells):
    return with_part(worksheet(f"<sheetData>{cells}</sheetData>"))


def lying(data, name, size):
    """The archive with another size stated for a member, in its directory and before the member itself."""
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        stated = struct.pack("<I", opened.getinfo(name).file_size)
    return data.replace(stated, struct.pack("<I", size))


def test_a_bomb_of_two_hundred_megabytes_is_refused_before_it_is_unpacked(figure):
    bomb = with_part(b" " * 200 * MEBIBYTE)
    assert len(bomb) < 250_000
    tracemalloc.start()
    refusal, took = timed(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "unpacks to too much" in refusal.message
    assert peak < MEBIBYTE
    assert took < 1
    figure(
        "P48",
        f"an XLSX of {len(bomb) // 1000} kB that unpacks to 200 MiB: refused in {took:.3f} s, {peak // 1000} kB",
    )


def test_a_bomb_whose_directory_lies_is_counted_as_it_comes_out():
    bomb = lying(with_part(b" " * 120 * MEBIBYTE), SHEET, 1000)
    tracemalloc.start()
    refusal = outcome(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(refusal, FileRefusedError)
    assert peak < 3 * MEBIBYTE


def test_the_bytes_are_counted_whatever_is_stated(monkeypatch):
    data = workbook([TEA])
    assert isinstance(outcome(data), BankFile)
    whole = sum(
        len(content.encode())
        for content in xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA))).values()
    )
    for name, least in (("MAX_BYTES", whole), ("MAX_RATIO", 100)):
        monkeypatch.setattr(archives, "_SIZE_WITHOUT_RATIO", 0)
        monkeypatch.setattr(archives, name, least)
        assert isinstance(outcome(data), BankFile)
        monkeypatch.setattr(archives, name, 1)
        assert "unpacks to too much" in outcome(data).message
        monkeypatch.undo()


def test_more_members_than_any_workbook_has_are_refused():
    parts = xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA)))
    more = {f"x/{number}": "" for number in range(200 - len(parts))}
    assert isinstance(outcome(xlsx_files.archive({**parts, **more})), BankFile)
    assert "at most 200 parts" in outcome(xlsx_files.archive({**parts, **more, "x/last": ""})).message


def test_a_directory_of_millions_is_not_read():
    entry = b"PK\x01\x02" + bytes(42)
    data = b"PK\x03\x04" + entry * 1_000_000
    for count in (5, 65_535):
        end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, count, count, len(data) - 4, 4, 0)
        refusal, took = timed(data + end)
        assert isinstance(refusal, FileRefusedError)
        assert took < 1


def test_an_archive_in_an_archive_is_not_unpacked():
    inner = xlsx_files.archive({"x": b" " * MEBIBYTE})
    for _ in range(5):
        inner = xlsx_files.archive({"x.zip": inner})
    assert "unpack it" in outcome(inner).message
    assert isinstance(outcome(with_part(inner)), FileRefusedError)


def test_two_members_of_one_name_are_refused():
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as opened:
        for name, content in xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA))).items():
            opened.writestr(name, content)
        opened.writestr(SHEET.upper(), worksheet(rows(xlsx_files.HEADER)))
    assert isinstance(outcome(written.getvalue()), FileRefusedError)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_packing_that_no_program_uses_is_refused(method):
    parts = xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA)))
    assert "unusual compression" in outcome(xlsx_files.archive(parts, method)).message


def test_a_member_with_a_password_is_refused():
    data = bytearray(workbook([TEA]))
    place = 0
    while (place := data.find(b"PK\x01\x02", place)) >= 0:
        data[place + 8] |= 1
        place += 4
    assert "password" in outcome(bytes(data)).message


@pytest.mark.parametrize(
    "name", [SHEET, "xl/sharedStrings.xml", "xl/styles.xml", "xl/workbook.xml", "_rels/.rels"]
)
@pytest.mark.parametrize(
    "declared",
    [
        '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE x SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE x [<!ENTITY % p SYSTEM "file:///etc/hostname">%p;]>',
    ],
)
def test_a_document_type_is_refused_in_every_part(name, declared):
    parts = xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA)))
    parts[name] = parts[name].replace(xlsx_files.HEAD, xlsx_files.HEAD + declared)
    assert "document type" in outcome(xlsx_files.archive(parts)).message


@pytest.mark.parametrize(
    "piece",
    [
        "<",
        "<row>",
        "<row/>",
        "<c/>",
        "<row><c/></row>",
        "<row><c t='inlineStr'><is><t>x</t></is></c></row>",
        "<row><c><v>1</v></c></row>",
        "<row><c><v>1.2345678901234567E-5</v></c></row>",
        "<a>",
        "<a b='",
        "&lt;",
        "<!-- -->",
        "<row><c r='SF1'><v>1</v></c></row>",
        "<row><c><f/></c></row>",
    ],
)
def test_what_is_repeated_without_end_is_settled_in_time(piece):
    _, took = timed(
        xlsx_files.archive(
            {
                **xlsx_files.parts(worksheet("")),
                SHEET: worksheet(f"<sheetData>{piece * (1_000_000 // len(piece))}"),
            },
            zipfile.ZIP_STORED,
        )
    )
    assert took < ALLOWED_SECONDS


def test_rows_as_wide_as_may_be_fill_no_memory():
    wide = "".join(f'<row r="{row}"><c r="SF{row}"><v>1</v></c></row>' for row in range(1, 12_002))
    tracemalloc.start()
    refusal = outcome(
        xlsx_files.archive(
            {**xlsx_files.parts(worksheet("")), SHEET: worksheet(f"<sheetData>{wide}</sheetData>")}
        )
    )
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert "too much text" in refusal.message
    assert peak < 100 * MEBIBYTE


def test_links_out_of_the_workbook_and_paths_out_of_the_archive_are_left_alone():
    parts = xlsx_files.parts(worksheet(rows(xlsx_files.HEADER, TEA)))
    place = "xl/_rels/workbook.xml.rels"
    outside = (
        f'<Relationship Id="rId50" Type="{xlsx_files.LINKS}/externalLink" Target="http://127.0.0.1:9/"'
        ' TargetMode="External"/>'
        f'<Relationship Id="rId51" Type="{xlsx_files.LINKS}/styles" Target="file:///etc/passwd" TargetMode="External"/>'
    )
    parts[place] = parts[place].replace("</Relationships>", f"{outside}</Relationships>")
    assert isinstance(outcome(xlsx_files.archive(parts)), BankFile)
    parts[place] = parts[place].replace("worksheets/sheet1.xml", "../../../../etc/passwd")
    assert "no etc/passwd" in outcome(xlsx_files.archive(parts)).message


def test_a_workbook_behind_or_before_something_else_is_not_taken():
    data = workbook([TEA])
    assert isinstance(outcome(data + b"\n!Type:Bank\nD1/1/26\nT1\n^\n"), FileRefusedError)
    stored = xlsx_files.archive({"x.qif": "!Type:Bank\nD2026-03-05\nT-3.50\n^\n"}, zipfile.ZIP_STORED)
    assert "unpack it" in outcome(stored).message


@pytest.mark.rare
def test_more_attributes_than_cells_have_are_refused():
    tag = "<x " + " ".join(f"a{number}=''" for number in range(10_000)) + "/>"
    refusal, took = timed(with_cells(tag * (parts.MAX_ATTRIBUTES // 10_000 + 1)))
    assert "unpacks to too much" in refusal.message or "attributes" in refusal.message
    assert took < ALLOWED_SECONDS
