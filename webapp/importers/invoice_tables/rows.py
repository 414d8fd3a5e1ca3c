"""The rows of a table of invoices, read exactly; an unreadable row refuses the file."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from webapp.importers.bank_files import SkippedRow
from webapp.importers.invoice_tables.columns import AMOUNTS, INVOICES
from webapp.importers.records.record_layouts import RecordTable
from webapp.importers.records.record_rows import RecordReader
from webapp.importers.tables.rows import TableRow


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


class InvoiceReader(RecordReader):
    """Reads the rows of one table in its layout."""

    def invoices(self) -> list[StatedRow]:
        """Read every invoice; raises FileRefusedError with row, column and value."""
        found = [self._invoice(row) for row in self.rows]
        first: dict[tuple[str, str], StatedRow] = {}
        for each, row in zip(found, self.rows, strict=True):
            before = first.setdefault((each.number, each.party.casefold()), each)
            if before is not each:
                why = f"row {before.row:,} has this number of {each.party} already; one row is one invoice"
                raise self.layout.refusal(row, self.layout.columns["number"], why)
        return found

    def _invoice(self, row: TableRow) -> StatedRow:
        self.check_length(row)
        net, tax, total = self._amounts(row)
        return StatedRow(
            row=row.number,
            number=self.needed(row, "number"),
            issued_on=self.needed_day(row, "date"),
            party=self.needed(row, "party"),
            total=total,
            net=net,
            tax=tax,
            amount_base=self.number(row, "amount_base"),
            currency=self.currency(row),
            due_on=self.day(row, "due_date"),
            vat_id=self.text(row, "vat_id"),
            iban=self.text(row, "iban"),
            reference=self.text(row, "reference"),
            description=self.text(row, "description", most=None),
        )

    def _amounts(self, row: TableRow) -> tuple[Decimal | None, Decimal | None, Decimal]:
        """Read net, tax and total; raises FileRefusedError if there is no total and none follows."""
        net, tax, total = (self.number(row, role) for role in AMOUNTS)
        if total is None:
            if net is None or (tax is None and "total" in self.layout.columns):
                column = self.layout.columns["total" if "total" in self.layout.columns else "net"]
                raise self.layout.refusal(row, column, "the invoice has no amount")
            total = net + (tax or 0)
        if net is None and tax is not None:
            net = total - tax
        elif tax is None and net is not None:
            tax = total - net
        signs = {each > 0 for each in (net, tax, total) if each}
        if len(signs) > 1:
            why = "net, tax and total of the invoice have different signs"
            raise self.layout.refusal(
                row, self.layout.columns.get("total", self.layout.columns.get("net", 0)), why
            )
        return net, tax, total


def table_of(table: RecordTable) -> InvoiceTable:
    """Read a table in its layout; raises FileRefusedError, also for a table without invoices."""
    reader = InvoiceReader(table, INVOICES)
    skipped = reader.skipped("It has no number and no date, or states a sum.")
    return InvoiceTable(reader.invoices(), tuple(skipped), table.mapping)
