"""The rows of a table of invoices, read exactly; an unreadable row refuses the file."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from webapp.importers.bank_files import FileRefusedError, SkippedRow
from webapp.importers.invoice_tables.columns import AMOUNTS
from webapp.importers.invoice_tables.layouts import invoices_in
from webapp.importers.tables.amounts import currency_code, currency_in
from webapp.importers.tables.days import DayParser
from webapp.importers.tables.layouts import Layout
from webapp.importers.tables.rows import TableRow
from webapp.importers.texts import folded
from webapp.ledger.currencies import UnknownCurrencyError, canonical

LONGEST: Final = 255
_NOTHING: Final = frozenset({"", "-", "--", "\u2212", "\u2013"})


@dataclass(frozen=True, slots=True)
class StatedRow:
    """An invoice as a row states it; `row` counts the file's lines from 1, `party` is the customer or the supplier.

    A negative total is a credit note. Two of net, tax and total give the third; `net` and `tax` are
    None where the table has no tax. `currency` is None where the row names none. `amount_base` is what the total is in
    the base currency by the row's own rate.
    """

    row: int
    number: str
    issued_on: date
    party: str
    total: Decimal
    net: Decimal | None = None
    tax: Decimal | None = None
    amount_base: Decimal | None = None
    currency: str | None = None
    due_on: date | None = None
    vat_id: str | None = None
    iban: str | None = None
    reference: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class InvoiceTable:
    """The invoices of a table, its other rows, and the whole mapping that read it."""

    invoices: Sequence[StatedRow]
    skipped: Sequence[SkippedRow]
    mapping: dict[str, object]


class InvoiceReader:
    """Reads the rows of one table in its layout."""

    def __init__(self, table: Sequence[TableRow], layout: Layout) -> None:
        """Count the cells of the rows."""
        self._table, self._layout = table, layout
        self._days = DayParser(layout.date_format)
        self._rows = invoices_in(table, layout)
        self._longest = max(
            [len(layout.names), *([] if layout.names else [len(row.cells) for row in self._rows])]
        )

    def invoices(self) -> list[StatedRow]:
        """Read every invoice; raises FileRefusedError with row, column and value."""
        found = [self._invoice(row) for row in self._rows]
        first: dict[tuple[str, str], StatedRow] = {}
        for each, row in zip(found, self._rows, strict=True):
            before = first.setdefault((each.number, each.party.casefold()), each)
            if before is not each:
                why = f"row {before.row:,} has this number of {each.party} already; one row is one invoice"
                raise self._layout.refusal(row, self._layout.columns["number"], why)
        return found

    def skipped(self) -> Iterator[SkippedRow]:
        """Yield the rows that are neither empty nor invoices."""
        read, header = {row.number for row in self._rows}, self._layout.header
        for place, row in enumerate(self._table):
            text = folded(" ".join(filter(None, row.cells)))
            if not text or row.number in read or place == header:
                continue
            is_before = header is not None and place < header
            reason = (
                "Above the table, ignored." if is_before else "It has no number and no date, or states a sum."
            )
            yield SkippedRow(row.number, text[:500], reason)

    def _invoice(self, row: TableRow) -> StatedRow:
        if any(row.cells[self._longest :]):
            why = "the row has more cells than the header; one cell may have been split"
            raise self._layout.refusal(row, self._longest, why)
        net, tax, total = self._amounts(row)
        return StatedRow(
            row=row.number,
            number=self._needed(row, "number"),
            issued_on=self._day(row, "date"),
            party=self._needed(row, "party"),
            total=total,
            net=net,
            tax=tax,
            amount_base=self._number(row, "amount_base"),
            currency=self._currency(row),
            due_on=self._day(row, "due_date") if self._text(row, "due_date") else None,
            vat_id=self._text(row, "vat_id"),
            iban=self._text(row, "iban"),
            reference=self._text(row, "reference"),
            description=self._text(row, "description", most=None),
        )

    def _amounts(self, row: TableRow) -> tuple[Decimal | None, Decimal | None, Decimal]:
        """Read net, tax and total; raises FileRefusedError if there is no total and none follows."""
        net, tax, total = (self._number(row, role) for role in AMOUNTS)
        if total is None:
            if net is None or (tax is None and "total" in self._layout.columns):
                column = self._layout.columns["total" if "total" in self._layout.columns else "net"]
                raise self._layout.refusal(row, column, "the invoice has no amount")
            total = net + (tax or 0)
        if net is None and tax is not None:
            net = total - tax
        elif tax is None and net is not None:
            tax = total - net
        signs = {each > 0 for each in (net, tax, total) if each}
        if len(signs) > 1:
            why = "net, tax and total of the invoice have different signs"
            raise self._layout.refusal(
                row, self._layout.columns.get("total", self._layout.columns.get("net", 0)), why
            )
        return net, tax, total

    def _number(self, row: TableRow, role: str) -> Decimal | None:
        column = self._layout.columns.get(role)
        if column is None or row.cell(column) in _NOTHING:
            return None
        value = self._layout.number(row, column)
        if value is None:
            raise self._layout.refusal(row, column, "it is not an amount in the format of the others")
        return value

    def _day(self, row: TableRow, role: str) -> date:
        column = self._layout.columns[role]
        # An empty format reads an empty cell.
        day = self._days.day(row.cell(column)) if row.cell(column) else None
        if day is None:
            why = (
                "it is not a day in the format of the others"
                if row.cell(column)
                else "the invoice has no date"
            )
            raise self._layout.refusal(row, column, why)
        return day

    def _needed(self, row: TableRow, role: str) -> str:
        text = self._text(row, role)
        if text is None:
            why = "the invoice has no number" if role == "number" else "the invoice names nobody"
            raise self._layout.refusal(row, self._layout.columns[role], why)
        return text

    def _text(self, row: TableRow, role: str, most: int | None = LONGEST) -> str | None:
        column = self._layout.columns.get(role)
        text = "" if column is None else folded(row.cell(column))
        if column is not None and most is not None and len(text) > most:
            raise self._layout.refusal(row, column, f"it is longer than {most} characters")
        return text or None

    def _currency(self, row: TableRow) -> str | None:
        """Return the currency of a row; raises FileRefusedError if an amount has another code."""
        columns, code = self._layout.columns, self._layout.currency
        if "currency_column" in columns and row.cell(columns["currency_column"]):
            try:
                code = currency_code(row.cell(columns["currency_column"]))
            except UnknownCurrencyError:
                why = "it is not an ISO 4217 currency"
                raise self._layout.refusal(row, columns["currency_column"], why) from None
        for column in (columns[role] for role in AMOUNTS if role in columns):
            stated = currency_in(row.cell(column))
            if stated and code and canonical(stated) != code:
                raise self._layout.refusal(row, column, f"its currency is not {code}")
            code = code or (stated and canonical(stated))
        return code


def table_of(table: Sequence[TableRow], layout: Layout, mapping: dict[str, object]) -> InvoiceTable:
    """Read a table in its layout; raises FileRefusedError, also for a table without invoices."""
    reader = InvoiceReader(table, layout)
    invoices = reader.invoices()
    if not invoices:
        raise FileRefusedError(
            "The file has no invoice; each is a row with its number, its date and its amount."
        )
    return InvoiceTable(invoices, tuple(reader.skipped()), mapping)
