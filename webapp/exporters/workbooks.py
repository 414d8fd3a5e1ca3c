"""A table as an XLSX workbook of one sheet: numbers and days by their type, all else by the type of text.

Of the format (ECMA-376) it has the parts that a workbook must have. Text stands in the cell itself by the type
`inlineStr`, which no program evaluates, so that no text can become a formula.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from datetime import date
from typing import IO, Final
from xml.sax.saxutils import escape

from webapp.exporters.tables import Cell, Table
from webapp.ledger.currencies import digits
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.exchange.controls import without_controls
from webapp.ledger.money import Money

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST_ROWS, LONGEST_TEXT, LONGEST_NAME = 2**20, 32_767, 31
# Day 0 of spreadsheets, which hold 1900 for a leap year; it fits from March 1900 on.
_DAY_ZERO: Final = date(1899, 12, 30)
# What XML cannot hold besides controls, and what a workbook would take for the name of such a character.
_UNWRITABLE: Final = re.compile("[\ufffe\uffff]")
_ESCAPED: Final = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
# Widths in characters, and the styles of `_STYLES` by their place: plain, head, day, then by digits of an amount.
_NARROW, _WIDE = 14, 36
_HEAD, _DAY, _AMOUNT = 1, 2, 3
_AT: Final = (1980, 1, 1, 0, 0, 0)

_MAIN: Final = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_RELATIONS: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES: Final = "http://schemas.openxmlformats.org/package/2006/content-types"
_KIND: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_FORMATS: Final = ("yyyy-mm-dd", "#,##0", "#,##0.0", "#,##0.00", "#,##0.000", "#,##0.0000")

_STYLES: Final = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="{len(_FORMATS)}">'
    + "".join(f'<numFmt numFmtId="{164 + n}" formatCode="{each}"/>' for n, each in enumerate(_FORMATS))
    + '</numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>'
    '<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill>'
    '<fill><patternFill patternType="gray125"/></fill></fills>'
    "<borders count='1'><border><left/><right/><top/><bottom/><diagonal/></border></borders>"
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>'
    f'<cellXfs count="{2 + len(_FORMATS)}"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>'
    + "".join(
        f'<xf numFmtId="{164 + n}" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
        for n in range(len(_FORMATS))
    )
    + '</cellXfs><cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


class TooManyRowsError(UnprocessableError):
    """A workbook has at most 1,048,576 rows; choose a shorter period, or CSV."""

    code = "too_many_rows"


def write(table: Table, file: IO[bytes]) -> None:
    """Write a table to a file as a workbook, row by row, or raise TooManyRowsError."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, text in _parts(table.title).items():
            archive.writestr(_entry(name), _XML + text)
        with archive.open(_entry("xl/worksheets/sheet1.xml"), "w", force_zip64=True) as sheet:
            sheet.write((_XML + _sheet_head(len(table.heads))).encode())
            sheet.write(_row(1, table.heads, _HEAD))
            for number, cells in enumerate(table.rows, 2):
                if number > MOST_ROWS:
                    raise TooManyRowsError
                sheet.write(_row(number, cells))
            sheet.write(b"</sheetData></worksheet>")


def _entry(name: str) -> zipfile.ZipInfo:
    """Name a part, with the same instant always, so that the same table is the same file."""
    entry = zipfile.ZipInfo(name, _AT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _parts(title: str) -> dict[str, str]:
    name = re.sub(r"[\[\]:*?/\\']", " ", title)[:LONGEST_NAME]
    return {
        "[Content_Types].xml": (
            f'<Types xmlns="{_TYPES}">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{_KIND}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{_KIND}.worksheet+xml"/>'
            f'<Override PartName="/xl/styles.xml" ContentType="{_KIND}.styles+xml"/></Types>'
        ),
        "_rels/.rels": _relations(("officeDocument", "xl/workbook.xml")),
        "xl/workbook.xml": (
            f'<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>'
            f'<sheet name="{_escaped(name)}" sheetId="1" r:id="rId1"/></sheets></workbook>'
        ),
        "xl/_rels/workbook.xml.rels": _relations(
            ("worksheet", "worksheets/sheet1.xml"), ("styles", "styles.xml")
        ),
        "xl/styles.xml": _STYLES,
    }


def _relations(*parts: tuple[str, str]) -> str:
    listed = (
        f'<Relationship Id="rId{number}" Type="{_OFFICE}/{kind}" Target="{part}"/>'
        for number, (kind, part) in enumerate(parts, 1)
    )
    return f'<Relationships xmlns="{_RELATIONS}">{"".join(listed)}</Relationships>'


def _sheet_head(columns: int) -> str:
    """Begin the sheet: the heads stay in sight, and the second column, a name, is wide."""
    return (
        f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>'
        + "".join(
            f'<col min="{each}" max="{each}" width="{_WIDE if each == 2 else _NARROW}" customWidth="1"/>'  # noqa: PLR2004
            for each in range(1, columns + 1)
        )
        + "</cols><sheetData>"
    )


def _row(number: int, cells: Sequence[Cell], style: int = 0) -> bytes:
    written = (_cell(f"{_letters(place)}{number}", each, style) for place, each in enumerate(cells))
    return f'<row r="{number}">{"".join(written)}</row>'.encode()


def _cell(place: str, cell: Cell, style: int) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Money):
        return f'<c r="{place}" s="{_AMOUNT + digits(cell.currency)}"><v>{cell}</v></c>'
    if isinstance(cell, date):
        return f'<c r="{place}" s="{_DAY}"><v>{(cell - _DAY_ZERO).days}</v></c>'
    if isinstance(cell, int):
        return f'<c r="{place}"><v>{cell}</v></c>'
    return (
        f'<c r="{place}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{_escaped(cell)}</t></is></c>'
    )


def _escaped(text: str) -> str:
    """Write text for XML; a character that XML cannot hold becomes a sign for it.

    >>> _escaped('<a href="x"> & _x000D_')
    '&lt;a href=&quot;x&quot;&gt; &amp; _x005F_x000D_'
    """
    named = _ESCAPED.sub("_x005F_", without_controls(text)[:LONGEST_TEXT])
    return escape(_UNWRITABLE.sub("\ufffd", named), {'"': "&quot;"})


def _letters(place: int) -> str:
    """Name a column, the first being 0.

    >>> [_letters(place) for place in (0, 25, 26, 701, 702)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    letters = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(ord("A") + rest) + letters
    return letters
