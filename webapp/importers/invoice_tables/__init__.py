"""Tables of invoices from other programs: one row per invoice."""

from webapp.importers.invoice_tables.reader import read, sample
from webapp.importers.invoice_tables.rows import InvoiceTable, StatedRow

__all__ = ["InvoiceTable", "StatedRow", "read", "sample"]
