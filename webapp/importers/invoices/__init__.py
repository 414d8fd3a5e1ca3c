"""E-invoices: UBL, CII and FatturaPA read exactly as they state their figures, and checked against their rules."""

from typing import Final

from webapp.importers.invoices import cii, fattura_pa, ubl
from webapp.importers.invoices.records import Invoice, InvoiceRefusedError
from webapp.importers.invoices.trees import Node, trees

__all__ = ["Invoice", "InvoiceRefusedError", "read", "read_all"]
MOST_INVOICES: Final = 200


def read(data: bytes) -> Invoice:
    """Read the one invoice of an XML file; raises InvoiceRefusedError for several, and what `read_all` raises."""
    invoices = read_all(data)
    if len(invoices) > 1:
        raise InvoiceRefusedError(f"The file has {len(invoices)} invoices.")
    return invoices[0]


def read_all(data: bytes) -> tuple[Invoice, ...]:
    """Read the invoices of an XML file in UBL, CII, ZUGFeRD 1 or FatturaPA.

    An Italian file may have several under one head, an envelope several files. Raises InvoiceRefusedError for anything
    else, and for XML that is too large, too deep, or has a document type.
    """
    invoices = tuple(invoice for root in trees(data) for invoice in _read(root))
    if len(invoices) > MOST_INVOICES:
        raise InvoiceRefusedError(
            f"The file has {len(invoices):,} invoices, and at most {MOST_INVOICES} are read; ask for them in parts."
        )
    return invoices


def _read(root: Node) -> tuple[Invoice, ...]:
    if root.name in fattura_pa.ROOTS:
        return fattura_pa.read(root)
    if root.name in ubl.ROOTS:
        return (ubl.read(root),)
    if root.name in {cii.ROOT, cii.ROOT_OF_ZUGFERD_1}:
        return (cii.read(root),)
    raise InvoiceRefusedError(f"The XML is a {root.name[:60]}, not an invoice in UBL, CII or FatturaPA.")
