"""A table as CSV and as a workbook: numbers stay numbers, days stay days, and no text becomes a formula."""

import csv
import io
import re
import zipfile
from datetime import date
from xml.etree import ElementTree as ET

import pytest

from webapp.exporters import csv_files, workbooks
from webapp.exporters.csv_files import Table
from webapp.importers.archives import Archive
from webapp.importers.tables.typed_cells import DayCell, NumberCell
from webapp.importers.xlsx.workbooks import Workbook
from webapp.ledger.money import Money

BEGINNINGS = ("=", "+", "-", "@", "\t=", "\r=", "\n=", "\0=", " =", "\u3000@", "\uff1d", "\uff0b")
COMMANDS = ("1+1", "SUM(A1:A9)", "cmd|' /C calc'!A0", 'HYPERLINK("http://x.example","y")', "12.50")
PAYLOADS = [beginning + command for beginning in BEGINNINGS for command in COMMANDS]
TYPED = ("A text", Money(-1250, "EUR"), Money(5, "JPY"), Money(-1, "BHD"), date(2024, 2, 29), 7, None)


def workbook(rows, title="Rents"):
    file = io.BytesIO()
    workbooks.write(file, Table(title, ("Text",) * 7, rows))
    return file.getvalue()


def read(data):
    book = Workbook(Archive(data))
    (sheet,) = book.sheets
    _, *rows = book.sheet(sheet).rows
    return [cells for _, cells in rows]


def test_numbers_are_numbers_and_days_are_days():
    (row,) = read(workbook([TYPED]))
    assert [str(cell) for cell in row] == ["A text", "-12.50", "5", "-0.001", "2024-02-29", "7"]
    assert [type(cell) for cell in row] == [str, NumberCell, NumberCell, NumberCell, DayCell, NumberCell]
    written = b"".join(csv_files.as_csv(Table("Rents", ("Text",) * 7, [TYPED]))).decode()
    assert written.splitlines()[1] == '"A text",-12.50,5,-0.001,2024-02-29,7,'


def test_no_text_becomes_a_formula():
    data = workbook([(payload,) for payload in PAYLOADS])
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        sheet = ET.fromstring(archive.read("xl/worksheets/sheet1.xml"))  # noqa: S314  (our own file)
    kinds = [(each.tag.partition("}")[2], each.get("t")) for each in sheet.iter()]
    assert [kind for kind in kinds if kind[0] == "f"] == []
    assert {kind[1] for kind in kinds if kind[0] == "c"} == {"inlineStr"}
    shown = [each.text for each in sheet.iter() if each.tag.endswith("}t")][7:]
    assert shown == [payload.replace("\0", "⟨0000⟩").replace("\r", "\n") for payload in PAYLOADS]
    rows = csv.reader(
        io.StringIO(b"".join(csv_files.as_csv(Table("", ("T",), [(p,) for p in PAYLOADS]))).decode())
    )
    begun = [row[0] for row in rows][1:]
    assert [text for text in begun if not text.startswith(("'", "⟨0000⟩"))] == []


def test_any_text_makes_a_workbook_that_can_be_read():
    texts = ["<a> & \"b\" 'c'", "_x000D_", "\x01\ufffe", "x" * 40_000, "  spaces  ", "日本 🧾", "]]>"]
    shown = [
        str(row[0]) for row in read(workbook([(text,) for text in texts], title="A/B: [2026] " + "x" * 40))
    ]
    assert shown[0] == texts[0]
    assert shown[1] == "_x000D_"
    assert shown[2] == "⟨0001⟩\ufffd"
    assert len(shown[3]) == workbooks.LONGEST_TEXT
    assert shown[4:] == [text.strip() for text in texts[4:]]


def test_the_same_table_is_the_same_file():
    assert workbook([TYPED]) == workbook([TYPED])


def test_a_number_with_more_digits_than_a_spreadsheet_holds_is_text():
    exact, long = Money(999_999_999_999_999, "EUR"), Money(-1_234_567_890_123_456, "EUR")
    (row,) = read(workbook([(exact, long)]))
    assert [str(cell) for cell in row] == ["9999999999999.99", "-12345678901234.56"]
    assert [type(cell) for cell in row] == [NumberCell, str]


def test_a_sheet_that_is_too_long_is_refused(monkeypatch):
    monkeypatch.setattr(workbooks, "MOST_ROWS", 3)
    assert len(read(workbook([TYPED, TYPED]))) == 2
    with pytest.raises(workbooks.TooManyRowsError, match=re.escape("choose a shorter period, or CSV")):
        workbook([TYPED, TYPED, TYPED])


def test_columns_are_as_wide_as_their_texts_and_a_page_has_them_all():
    rows = [("A step of the month that nobody has done", 7), ("x" * 300, 8)]
    with zipfile.ZipFile(io.BytesIO(workbook(rows))) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
    widths = [float(each) for each in re.findall(r'<col [^>]*width="([\d.]+)"', sheet)]
    assert widths[0] > 60
    assert widths[1] < 15
    assert 'paperSize="9"' in sheet
    assert 'fitToHeight="0"' in sheet
