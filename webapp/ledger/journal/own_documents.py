"""Whether a document is the organization's own, and which way its money goes: asked here by all that needs to know."""

from __future__ import annotations


def is_own(document_type: str, sender: str | None, organization: str) -> bool:
    """Tell whether the organization wrote a document: an invoice, or what names it as the sender and is no bill.

    >>> is_own("INVOICE", None, "Ada Studio"), is_own("BILL", "Ada Studio", "Ada Studio")
    (True, False)
    >>> is_own("CREDIT_NOTE", "ADA STUDIO", "Ada Studio"), is_own("CREDIT_NOTE", "Paper Ltd", "Ada Studio")
    (True, False)
    """
    if document_type in ("INVOICE", "BILL"):
        return document_type == "INVOICE"
    return (sender or "").casefold() == organization.casefold()


def is_paid_to_us(document_type: str, total_minor: int | None, *, is_own: bool) -> bool:
    """Tell whether the money of a document comes in: of what we sell, and of a supplier's credit note.

    >>> is_paid_to_us("INVOICE", 100, is_own=True), is_paid_to_us("CREDIT_NOTE", 100, is_own=True)
    (True, False)
    >>> is_paid_to_us("BILL", -100, is_own=False)
    True
    """
    return is_own ^ (document_type == "CREDIT_NOTE") ^ ((total_minor or 0) < 0)
