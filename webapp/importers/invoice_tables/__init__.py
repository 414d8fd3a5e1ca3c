"""Tables of invoices from other programs: one row per invoice."""

from collections.abc import Mapping

from webapp.importers.invoice_tables.columns import INVOICES
from webapp.importers.invoice_tables.rows import InvoiceTable, StatedRow, table_of
from webapp.importers.records import record_layouts

__all__ = ["INVOICES", "InvoiceTable", "StatedRow", "read"]


def read(data: bytes, mapping: Mapping[str, object] | None = None) -> InvoiceTable:
    """Read the invoices of a file, all or none of them.

    Missing keys of the mapping are found from the file. MappingNeededError asks for the others;
    FileRefusedError says what is wrong, with row, column and value.
    """
    return table_of(record_layouts.read(data, INVOICES, mapping))
