"""E-invoices: UBL and CII read exactly as they state their figures, and checked against EN 16931."""

from webapp.importers.invoices import cii, ubl
from webapp.importers.invoices.records import Invoice, InvoiceRefusedError
from webapp.importers.invoices.trees import tree

__all__ = ["Invoice", "InvoiceRefusedError", "read"]


def read(data: bytes) -> Invoice:
    """Read an invoice in UBL, CII or ZUGFeRD 1 from its XML.

    Raises InvoiceRefusedError for anything else, and for XML that is too large, too deep, or has a document type.
    """
    root = tree(data)
    if root.name in ubl.ROOTS:
        return ubl.read(root)
    if root.name in {cii.ROOT, cii.ROOT_OF_ZUGFERD_1}:
        return cii.read(root)
    raise InvoiceRefusedError(f"The XML is a {root.name[:60]}, not an invoice in UBL or CII.")
