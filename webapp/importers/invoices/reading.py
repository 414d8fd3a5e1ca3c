"""The reader of e-invoices in XML: the root element decides the language, never the file name."""

from webapp.importers.invoices import cii, ubl
from webapp.importers.invoices.records import Invoice, InvoiceRefusedError
from webapp.importers.invoices.trees import tree


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
