"""E-invoices: UBL and CII read exactly as they state their figures, and checked against EN 16931."""

from webapp.importers.invoices.reading import read
from webapp.importers.invoices.records import Invoice, InvoiceRefusedError

__all__ = ["Invoice", "InvoiceRefusedError", "read"]
