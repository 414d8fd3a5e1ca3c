"""Who a document is from or for, and which way its money goes, as seen from the organization."""

from __future__ import annotations

from dataclasses import dataclass

from webapp.ledger.journal import own_documents
from webapp.models import Document
from webapp.queries.access import organizations


@dataclass(frozen=True, slots=True)
class OtherParty:
    """Who a document is from, or for where it is our own; the account is known of who is to be paid alone."""

    name: str | None
    vat_id: str | None
    iban: str | None


def is_own(document: Document) -> bool:
    """Tell whether the organization wrote a document: by its type, by what somebody said, or by the names on it."""
    if document.side is not None and document.document_type == "CREDIT_NOTE":
        return document.side == "SALE"
    ours = organizations.get(document.organization_id).name
    return own_documents.is_own(document.document_type, document.sender, ours)


def has_side(document: Document) -> bool:
    """Tell whether it is certain whose a document is: of a credit note, where somebody said it or it names us."""
    if document.document_type != "CREDIT_NOTE" or document.side is not None:
        return True
    ours = organizations.get(document.organization_id).name.casefold()
    return ours in ((document.sender or "").casefold(), (document.buyer or "").casefold())


def is_paid_to_us(document: Document) -> bool:
    """Tell whether the money of a document comes in."""
    return own_documents.is_paid_to_us(document.document_type, document.total_minor, is_own=is_own(document))


def other_party(document: Document) -> OtherParty | None:
    """Give the other party of a document, none where it names nobody."""
    if is_own(document):
        stated = document.invoice or {}
        party = OtherParty(document.buyer, (stated.get("buyer") or {}).get("vat_id"), None)
    else:
        party = OtherParty(document.sender, document.seller_vat_id, document.iban)
    return party if party.name or party.vat_id or party.iban else None
