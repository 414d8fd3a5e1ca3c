"""Tables of invoices, as programs for invoices and spreadsheets export them: a row for each invoice."""

from webapp.importers.invoice_tables.reader import read, sample
from webapp.importers.invoice_tables.rows import InvoiceTable, StatedRow

__all__ = ["InvoiceTable", "StatedRow", "read", "sample"]
