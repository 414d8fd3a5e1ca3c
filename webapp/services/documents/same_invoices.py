"""The question about a second document with the sender and the number of another one, by which bills are paid twice."""

from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.references import Kind, Ref
from webapp.ledger.texts.legible import cited
from webapp.models import Document
from webapp.queries.documents import same_invoices as queried
from webapp.services.documents import fields
from webapp.services.documents.fields import DocumentInput

# What would be lost with the document that is not made.
CHOSEN = frozenset({*fields.CHOICES, "text"})


class SameInvoiceError(LedgerError):
    """Another document has this sender and number; look at it, or send force with a note to file this one too."""

    code = "same_invoice"
    untrusted = ("error",)


class ForceNoteError(UnprocessableError):
    """Write a note on why both documents are needed."""

    code = "validation"


def same(document: Document, content: DocumentInput) -> Document | None:
    """Find the document that is the same invoice as a new one, whatever its bytes; None where somebody chose for it.

    The same are the seller's VAT id, else its name, the number, the type and the gross amount.
    """
    return None if CHOSEN & content.keys() else queried.same_invoice(document)


def ask(document: Document, *, force: bool, note: str) -> None:
    """Refuse a document that may be another one's repetition, unless somebody insists and notes why.

    Raises SameInvoiceError, and ForceNoteError for `force` without a note.
    """
    if force and not note.strip():
        raise ForceNoteError(fields={"note": [str(ForceNoteError())]})
    other = None if force else queried.with_number(document)
    if other is None:
        return
    issued = f", issued {other.issued_on:%-d %b %Y}" if other.issued_on else ""
    total = f", over {other.total.formatted}" if other.total else ""
    raise SameInvoiceError(
        f"{cited(document.sender or '')} has sent number {cited(document.number or '')} before"
        f" (document {other.id}){issued}{total}. Look at it,"
        " or send force with a note to file this one too.",
        details={"documentId": Ref(Kind.DOCUMENT, other.id)},
    )
