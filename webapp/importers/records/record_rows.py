"""The cells of a table of records, read exactly; an unreadable row refuses the file."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError, SkippedRow
from webapp.importers.records.record_layouts import RecordTable, TableKind, keyed, records_in
from webapp.importers.tables.amounts import currency_code, currency_in
from webapp.importers.tables.days import DayParser
from webapp.importers.tables.rows import TableRow
from webapp.importers.texts import folded
from webapp.ledger.currencies import UnknownCurrencyError, canonical

LONGEST: Final = 255
_NOTHING: Final = frozenset({"", "-", "--", "\u2212", "\u2013"})


class RecordReader:
    """Reads the rows of one table in its layout; what it cannot read raises FileRefusedError with row and column."""

    def __init__(self, table: RecordTable, kind: TableKind) -> None:
        """Find the records, and count their cells."""
        self.layout, self.kind, self._table = table.layout, kind, table.rows
        self._days = DayParser(table.layout.date_format)
        self.rows = records_in(table.rows, kind, table.layout)
        names = table.layout.names
        self._longest = max([len(names), *([] if names else [len(row.cells) for row in self.rows])])
        if not self.rows:
            raise FileRefusedError(
                f"The file has no {kind.noun}; each is a row below a header that names the columns."
            )

    def skipped(self, reason: str) -> Iterator[SkippedRow]:
        """Yield the rows that are neither empty nor records."""
        read, header = {row.number for row in self.rows}, self.layout.header
        for place, row in enumerate(self._table):
            text = folded(" ".join(filter(None, row.cells)))
            if not text or row.number in read or place == header:
                continue
            is_before = header is not None and place < header
            yield SkippedRow(row.number, text[:500], "Above the table, ignored." if is_before else reason)

    def check_length(self, row: TableRow) -> None:
        """Refuse a row with more cells than the header."""
        if any(row.cells[self._longest :]):
            why = "the row has more cells than the header; one cell may have been split"
            raise self.layout.refusal(row, self._longest, why)

    def number(self, row: TableRow, role: str) -> Decimal | None:
        """Read an amount; None where the row has none."""
        column = self.layout.columns.get(role)
        if column is None or row.cell(column) in _NOTHING:
            return None
        value = self.layout.number(row, column)
        if value is None:
            raise self.layout.refusal(row, column, "it is not an amount in the format of the others")
        return value

    def day(self, row: TableRow, role: str) -> date | None:
        """Read a day; None where the row has none."""
        column = self.layout.columns.get(role)
        # An empty format reads an empty cell.
        if column is None or not row.cell(column):
            return None
        day = self._days.day(row.cell(column))
        if day is None:
            raise self.layout.refusal(row, column, "it is not a day in the format of the others")
        return day

    def needed_day(self, row: TableRow, role: str) -> date:
        """Read a day that each row has."""
        day = self.day(row, role)
        if day is None:
            raise self._lacks(row, role)
        return day

    def needed(self, row: TableRow, role: str) -> str:
        """Read a text that each row has."""
        text = self.text(row, role)
        if text is None:
            raise self._lacks(row, role)
        return text

    def text(self, row: TableRow, role: str, most: int | None = LONGEST) -> str | None:
        """Read a text; None where the row has none."""
        column = self.layout.columns.get(role)
        text = "" if column is None else folded(row.cell(column))
        if column is not None and most is not None and len(text) > most:
            raise self.layout.refusal(row, column, f"it is longer than {most} characters")
        return text or None

    def currency(self, row: TableRow) -> str | None:
        """Return the currency of a row, None where it names none; an amount with another code refuses it."""
        columns, code = self.layout.columns, self.layout.currency
        if "currency_column" in columns and row.cell(columns["currency_column"]):
            try:
                code = currency_code(row.cell(columns["currency_column"]))
            except UnknownCurrencyError:
                why = "it is not an ISO 4217 currency"
                raise self.layout.refusal(row, columns["currency_column"], why) from None
        for column in (columns[role] for role in self.kind.figures if role in columns):
            stated = currency_in(row.cell(column))
            if stated and code and canonical(stated) != code:
                raise self.layout.refusal(row, column, f"its currency is not {code}")
            code = code or (stated and canonical(stated))
        return code

    def _lacks(self, row: TableRow, role: str) -> FileRefusedError:
        called = self.kind.needed.get(role, keyed(self.kind, role))
        return self.layout.refusal(row, self.layout.columns[role], f"the {self.kind.noun} has no {called}")
