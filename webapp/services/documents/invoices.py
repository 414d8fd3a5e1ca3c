"""What a document's file states: an e-invoice in XML or within a PDF, else the text of a PDF's pages."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, Final

from webapp.importers import invoices, pdfs
from webapp.importers.invoices import Invoice, InvoiceRefusedError
from webapp.importers.invoices.facts import facts
from webapp.importers.invoices.records import InvoiceTotals
from webapp.importers.pdfs import PdfRefusedError
from webapp.ledger.codes import NO_INVOICES, SUPPLEMENTS
from webapp.ledger.currencies import canonical
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.files.file_kinds import PDF, SIGNED, XML, FileKind, FileKindError, kind_of
from webapp.ledger.files.signed_files import content_of
from webapp.ledger.journal.own_documents import Ourselves
from webapp.ledger.money import Money
from webapp.models import Document, Organization
from webapp.queries.documents import parties
from webapp.services.documents.fields import DocumentInput

LONGEST_TEXT: Final = 100_000
LONGEST_NAME: Final = 255
LONGEST_ID: Final = 64
AMOUNTS: Final = ("net", "tax", "total", "prepaid", "due")
# What comes of an e-invoice alone, which nobody can write.
ONLY_READ: Final = (
    *("invoice", "due_on", "prepaid_minor", "due_minor"),
    *("buyer", "seller_vat_id", "iban", "remittance"),
)


@dataclass(frozen=True, slots=True)
class FileContents:
    """What a file states: its invoices, a text or none, and why nothing could be read, in a sentence.

    `kind` is none where it is no file of a document. `part` is the place of its one
    invoice in the file, from 1.
    """

    kind: FileKind | None = None
    invoices: tuple[Invoice, ...] = ()
    text: str | None = None
    problem: str | None = None
    part: int = 1

    @property
    def invoice(self) -> Invoice | None:
        """The one invoice of the file, none where it has several."""
        return self.invoices[0] if len(self.invoices) == 1 else None

    def each(self) -> "list[FileContents]":
        """Give the contents of a file by its invoices; what has at most one stays as it is."""
        if len(self.invoices) <= 1:
            return [self]
        return [
            replace(self, invoices=(invoice,), part=part) for part, invoice in enumerate(self.invoices, 1)
        ]


def contents(data: bytes) -> FileContents:
    """Read a file as far as it can be read; whatever is wrong with it, the file itself stays.

    It takes seconds for a hostile file, so that requests read before their transaction begins.
    """
    try:
        kind = kind_of(data)
    except FileKindError:
        return FileContents()
    signed = content_of(data) if kind is SIGNED else data
    of_content = kind_of(signed) if kind is SIGNED else kind
    try:
        if of_content is XML:
            return FileContents(kind, invoices.read_all(signed))
        if of_content is not PDF:
            return FileContents(kind)
        found = pdfs.read(signed)
        text = found.text[:LONGEST_TEXT] or None
        return FileContents(kind, () if found.xml is None else (invoices.read(found.xml),), text)
    except (InvoiceRefusedError, PdfRefusedError) as error:
        return FileContents(kind, problem=str(error))


def write(document: Document, read: FileContents, content: DocumentInput, organization: Organization) -> None:
    """Write what a file states into a document, in place of nothing that somebody sent beside it."""
    if read.text is not None and "text" not in content:
        document.text = read.text
    if read.problem is not None:
        document.invoice = {"findings": [{"rule": "unread", "message": read.problem}]}
    if read.invoice is None:
        return
    stated = _fields(read.invoice, parties.ourselves(organization))
    for name, value in stated.items():
        if name not in content:
            setattr(document, name, value)
    kept = facts(read.invoice)
    kept["findings"] += _write_amounts(document, read.invoice, content)
    document.invoice = kept


def _fields(invoice: Invoice, ours: Ourselves) -> Mapping[str, Any]:
    return {
        "document_type": _type(invoice, ours),
        "side": _side(invoice, ours),
        "number": _short(invoice.number),
        "issued_on": invoice.issued_on,
        "due_on": invoice.due_on,
        "sender": _short(invoice.seller.name),
        "buyer": _short(invoice.buyer.name),
        "seller_vat_id": _short(invoice.seller.vat_id, LONGEST_ID),
        "iban": _short(invoice.payment.account, LONGEST_ID),
        "remittance": _short(invoice.payment.remittance),
    }


def _type(invoice: Invoice, ours: Ourselves) -> str:
    """Name the kind of document, as seen from the organization; the type decides it, never a figure's sign.

    The seller decides whose invoice it is, also where the buyer wrote it for the seller.
    """
    if invoice.is_credit_note:
        return "CREDIT_NOTE"
    if invoice.type_code in NO_INVOICES | SUPPLEMENTS:
        return "OTHER"
    return "INVOICE" if ours.are(invoice.seller.name, invoice.seller.vat_id) else "BILL"


def _side(invoice: Invoice, ours: Ourselves) -> str | None:
    """Say whose credit note it is, where it names us; of what it does not, somebody says it."""
    if not invoice.is_credit_note:
        return None
    if ours.are(invoice.seller.name, invoice.seller.vat_id):
        return "SALE"
    return "PURCHASE" if ours.are(invoice.buyer.name, invoice.buyer.vat_id) else None


def _write_amounts(document: Document, invoice: Invoice, content: DocumentInput) -> list[dict[str, str]]:
    """Write the amounts that the books can hold; answers findings on those that they cannot."""
    totals = invoice.totals or InvoiceTotals()
    figures = dict(
        zip(AMOUNTS, (totals.net, invoice.tax, totals.gross, totals.prepaid, totals.due), strict=True)
    )
    try:
        currency = canonical(invoice.currency or "")
    except UnprocessableError as error:
        return [{"rule": "currency", "message": str(error)}]
    if content.get("currency", currency) != currency:
        return []
    document.currency = document.original_currency = currency
    findings = []
    for name, figure in figures.items():
        if name in content or figure is None:
            continue
        try:
            setattr(document, f"{name}_minor", _bookable(figure, currency, invoice))
        except UnprocessableError as error:
            message = f"The {name} cannot be booked as it is stated. {error}"
            findings.append({"rule": "not_bookable", "message": message})
    return findings


class NegativeCreditNoteError(UnprocessableError):
    """A credit note with negative amounts says twice that money comes back; write the amount that you mean by hand."""

    code = "negative_credit_note"


def _bookable(figure: Decimal, currency: str, invoice: Invoice) -> int:
    if invoice.is_credit_note and figure < 0:
        raise NegativeCreditNoteError
    return Money.of(figure, currency).minor


def _short(text: str | None, most: int = LONGEST_NAME) -> str | None:
    return None if text is None else text[:most]
