"""Tables as an XLSX workbook, a sheet for each: numbers and days keep their type, everything else is text.

`write_string` writes all text, so no program can take it for a formula.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from typing import IO, TYPE_CHECKING, Final

from webapp.exporters.csv_files import Cell, Table
from webapp.ledger.currencies import digits
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.money import Money
from webapp.ledger.texts.controls import without_controls

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

MEDIA_TYPE: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
MOST_ROWS, LONGEST_TEXT, LONGEST_NAME = 2**20, 32_767, 31
# A spreadsheet holds numbers as doubles, which keep every digit of a number up to this many.
MOST_DIGITS: Final = 15
_UNWRITABLE: Final = re.compile("[\ufffe\uffff]")
_LINE_END: Final = re.compile("\r\n?")
# A column is as wide as its longest text, within these bounds, in characters.
_NARROW, _WIDE = 14, 60
_A4: Final = 9
# The same instant always, so that the same table is the same file.
_AT: Final = datetime(1980, 1, 1)  # noqa: DTZ001  (a workbook has no zones)


class TooManyRowsError(UnprocessableError):
    """A workbook has at most 1,048,576 rows; choose a shorter period, or CSV."""

    code = "too_many_rows"


def write(file: IO[bytes], *tables: Table) -> None:
    """Write tables of different titles to a file as a workbook, row by row, or raise TooManyRowsError."""
    from xlsxwriter import Workbook  # noqa: PLC0415  (it takes 2 MB, and few processes write a workbook)

    with Workbook(file, {"constant_memory": True}) as book:
        book.set_properties({"created": _AT})
        for table in tables:
            _write_sheet(book, table)


def _write_sheet(book: Workbook, table: Table) -> None:
    sheet = book.add_worksheet(_name(table.title))
    # The heads stay in sight, and on paper each page has them and all columns.
    sheet.freeze_panes(1, 0)
    sheet.repeat_rows(0)
    sheet.set_paper(_A4)
    sheet.fit_to_pages(1, 0)
    written = _Cells(book, sheet)
    written.write(0, table.heads, book.add_format({"bold": True}))
    for number, cells in enumerate(table.rows, 1):
        if number >= MOST_ROWS:
            raise TooManyRowsError
        written.write(number, cells)
    for place, width in enumerate(written.widths(len(table.heads))):
        sheet.set_column(place, place, width)


class _Cells:
    """The cells of a sheet and their formats."""

    def __init__(self, book: Workbook, sheet: Worksheet) -> None:
        self._sheet = sheet
        self._longest: Counter[int] = Counter()
        self._day = book.add_format({"num_format": "yyyy-mm-dd"})
        self._amounts = [book.add_format({"num_format": _amount_format(each)}) for each in range(5)]

    def write(self, row: int, cells: Sequence[Cell], text_format: Format | None = None) -> None:
        for place, cell in enumerate(cells):
            if isinstance(cell, Money):
                self._write_amount(row, place, cell)
            elif isinstance(cell, date):
                self._sheet.write_datetime(row, place, cell, self._day)
            elif isinstance(cell, int):
                self._sheet.write_number(row, place, cell)
            elif cell is not None:
                self._longest[place] = max(self._longest[place], len(cell))
                self._sheet.write_string(row, place, _text(cell), text_format)

    def widths(self, count: int) -> Iterator[int]:
        """Give the widths of so many columns."""
        return (min(max(self._longest[place] + 1, _NARROW), _WIDE) for place in range(count))

    def _write_amount(self, row: int, place: int, amount: Money) -> None:
        if len(str(abs(amount.minor))) > MOST_DIGITS:
            self._sheet.write_string(row, place, str(amount))
        else:
            self._sheet.write_number(row, place, amount.decimal, self._amounts[digits(amount.currency)])


def _amount_format(decimals: int) -> str:
    return "#,##0" + ("." + "0" * decimals if decimals else "")


def _name(title: str) -> str:
    """Name a sheet, without forbidden signs and short enough."""
    return re.sub(r"[\[\]:*?/\\']", " ", without_controls(title))[:LONGEST_NAME]


def _text(text: str) -> str:
    """Write text for a cell with one kind of line end; characters that XML cannot hold are replaced."""
    lines = "\n".join(_LINE_END.split(without_controls(text)))
    return _UNWRITABLE.sub("\ufffd", lines[:LONGEST_TEXT])
