"""The rows of a workbook's sheet with typed cells; formulas are read by their stored result."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from webapp.importers.bank_files import MAX_LINES, FileRefusedError
from webapp.importers.tables.rows import TableRow
from webapp.importers.tables.typed_cells import ErrorCell, NumberCell
from webapp.importers.texts import quoted
from webapp.importers.xlsx import cells as xlsx_cells
from webapp.importers.xlsx.cells import Kind
from webapp.importers.xlsx.parts import PartParser
from webapp.importers.xml_records import local_name

# Limits of all texts, and of all rows with their empty cells.
MAX_CHARACTERS: Final = 20_000_000
_MAX_SLOTS: Final = 6_000_000
_MAX_COLUMNS: Final = 500
_MAX_CELL: Final = 32_767
_LETTERS: Final = re.compile(r"[A-Z]{1,3}")
_MAX_CACHED: Final = 20_000
_NO_ROW: Final = TableRow(0, [])
_TRUE: Final = frozenset({"1", "true"})


@dataclass(frozen=True, slots=True)
class Context:
    """The context of all cells: shared texts, the kind of each style, and the epoch of dates."""

    strings: Sequence[str]
    kinds: Sequence[Kind]
    is_1904: bool


class SharedStrings(PartParser):
    """The shared texts of cells; the runs of one item are joined, without phonetic hints (rPh)."""

    def __init__(self) -> None:
        """Begin without texts."""
        self.texts: list[str] = []
        self._parts = ""
        self._length = 0
        self._is_text = False
        self._is_phonetic = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:  # noqa: ARG002
        """Handle the start of an item or a text."""
        self.depth += 1
        name = local_name(tag)
        if name == "t":
            self._is_text = not self._is_phonetic
        elif name == "rPh":
            self._is_phonetic = True
        elif name == "si":
            self._parts = ""

    def end(self, tag: str) -> None:
        """Handle the end of an item or a text."""
        self.depth -= 1
        name = local_name(tag)
        if name == "t":
            self._is_text = False
        elif name == "rPh":
            self._is_phonetic = False
        elif name == "si":
            self._length += len(self._parts)
            if self._length > MAX_CHARACTERS:
                raise _too_large()
            self.texts.append(xlsx_cells.unescaped(self._parts))
            self._parts = ""

    def text(self, data: str) -> None:
        """Handle text."""
        if self._is_text and len(self._parts) < _MAX_CELL:
            self._parts += data[:_MAX_CELL]


class SheetParser(PartParser):
    """The rows of a sheet, with an empty row for each missing number."""

    def __init__(self, context: Context) -> None:
        """Begin without rows."""
        self.rows: list[TableRow] = []
        self.hidden = 0
        self.uncomputed: str | None = None
        self._context = context
        self._columns: dict[str, int] = {}
        self._values: dict[tuple[str, str, bool], str] = {}
        self._slots = self._length = 0
        self._row = 0
        self._row_name = "0"
        self._cells: list[str] | None = None
        self._is_hidden = False
        self._cell: dict[str, str] | None = None
        self._column = -1
        self._value = ""
        self._is_text = self._is_computed = self._is_phonetic = False

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """Handle the start of a row, a cell or its value."""
        self.depth += 1
        name = local_name(tag)
        if name == "c":
            self._begin_cell(attributes)
        elif name in {"v", "t"}:
            self._is_text = self._cell is not None and not self._is_phonetic
        elif name == "row":
            self._begin_row(attributes)
        elif name == "f":
            self._is_computed = True
        elif name == "rPh":
            self._is_phonetic = True

    def end(self, tag: str) -> None:
        """Handle the end of a row, a cell or its value."""
        self.depth -= 1
        name = local_name(tag)
        if name in {"v", "t"}:
            self._is_text = False
        elif name == "c":
            self._end_cell()
        elif name == "row":
            self._end_row()
        elif name == "rPh":
            self._is_phonetic = False

    def text(self, data: str) -> None:
        """Handle the text of a value."""
        if self._is_text and len(self._value) < _MAX_CELL:
            self._value += data

    def _begin_row(self, attributes: dict[str, str]) -> None:
        stated = attributes.get("r")
        number = self._row + 1 if stated is None else _whole(stated)
        if self._cells is not None or number is None or number <= self._row:
            raise _damaged(f"its rows are out of order at row {quoted(stated or str(self._row + 1))}")
        self._row, self._row_name, self._column = number, str(number), -1
        self._cells = []
        self._is_hidden = attributes.get("hidden") in _TRUE

    def _end_row(self) -> None:
        cells, self._cells = self._cells, None
        if not cells:
            return
        if self._row > MAX_LINES:
            raise FileRefusedError(
                f"The workbook has more than {MAX_LINES:,} rows; export it in shorter periods."
            )
        self._slots += len(cells)
        if self._slots > _MAX_SLOTS:
            raise _too_large()
        self.rows.extend([_NO_ROW] * (self._row - 1 - len(self.rows)))
        self.rows.append(TableRow(self._row, cells))
        self.hidden += self._is_hidden

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        if self._cell is not None or self._cells is None:
            raise _damaged("a cell is outside of any row")
        stated = attributes.get("r")
        column = self._column + 1 if stated is None else self._column_of(stated)
        if column <= self._column:
            raise _damaged(f"its cells are out of order at {quoted(stated or '')}")
        self._column = column
        self._cell = attributes
        self._value, self._is_computed = "", False

    def _end_cell(self) -> None:
        cell, self._cell = self._cell, None
        if cell is None or self._cells is None:
            return
        kind = cell.get("t", "n")
        if not self._value:
            # Excel marks a computed empty text with t="str"; without that the value was never computed.
            if self._is_computed and kind != "str" and self.uncomputed is None:
                self.uncomputed = cell.get("r") or f"{self._column + 1} of row {self._row}"
            return
        value = self._read(kind, cell.get("s", "0"))
        if not value:
            return
        if self._column >= _MAX_COLUMNS:
            raise FileRefusedError(
                f"Row {self._row:,} has a value beyond column {_MAX_COLUMNS}; that is not a bank's export."
            )
        if gap := self._column - len(self._cells):
            self._cells.extend([""] * gap)
        self._cells.append(value)

    def _read(self, kind: str, style: str) -> str:
        if kind == "s":
            index = _whole(self._value)
            if index is None or index >= len(self._context.strings):
                raise _damaged(f"a cell of row {self._row:,} refers to a missing text")
            return self._context.strings[index]
        if kind == "n":
            return self._figure(style)
        if kind in {"str", "inlineStr"}:
            self._length += len(self._value)
            if self._length > MAX_CHARACTERS:
                raise _too_large()
            return xlsx_cells.unescaped(self._value)
        if kind == "b":
            return "TRUE" if self._value in _TRUE else "FALSE"
        return xlsx_cells.stated_day(self._value) if kind == "d" else ErrorCell(self._value)

    def _figure(self, style: str) -> str:
        """Return a number, or its date or time by its style; cached, because a sheet repeats them."""
        key = self._value, style, self._is_computed
        found = self._values.get(key)
        if found is None:
            found = self._read_figure(self._value, style)
            if len(self._values) < _MAX_CACHED:
                self._values[key] = found
        return found

    def _read_figure(self, raw: str, style: str) -> str:
        index, kinds = _whole(style), self._context.kinds
        kind = kinds[index] if index is not None and index < len(kinds) else "number"
        if kind == "day":
            return xlsx_cells.day(raw.strip(), is_1904=self._context.is_1904)
        figure = xlsx_cells.number(raw.strip(), is_computed=self._is_computed)
        return xlsx_cells.time(figure) if kind == "time" and isinstance(figure, NumberCell) else figure

    def _column_of(self, reference: str) -> int:
        letters = reference.removesuffix(self._row_name)
        found = self._columns.get(letters)
        if found is None:
            if letters == reference or not _LETTERS.fullmatch(letters):
                raise _damaged(f"the cell {quoted(reference)} is in row {self._row:,}")
            found = -1
            for letter in letters:
                found = (found + 1) * 26 + ord(letter) - ord("A")
            self._columns[letters] = found
        return found


def _whole(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None  # noqa: PLR2004


def _damaged(why: str) -> FileRefusedError:
    return FileRefusedError(f"The sheet is damaged: {why}; download the file again.")


def _too_large() -> FileRefusedError:
    return FileRefusedError("The workbook has too much text; export it in shorter periods.")
