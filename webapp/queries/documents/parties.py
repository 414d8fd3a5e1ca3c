"""Who a document is from or for, and which way its money goes, as seen from the organization."""

from dataclasses import dataclass

from webapp.ledger.journal import own_documents
from webapp.ledger.journal.own_documents import Ourselves
from webapp.models import Document, Organization
from webapp.queries.access import organizations


@dataclass(frozen=True, slots=True)
class OtherParty:
    """Who a document is from, or for where it is our own; the account is known of who is to be paid alone."""

    name: str | None
    vat_id: str | None
    iban: str | None


def ourselves(organization: Organization) -> Ourselves:
    """Give an organization as documents name it."""
    return Ourselves(organization.name, tuple(organization.vat_ids))


def is_own(document: Document) -> bool:
    """Tell whether the organization wrote a document: by its type, by what somebody said, or by who is named on it."""
    if document.side is not None and document.document_type == "CREDIT_NOTE":
        return document.side == "SALE"
    return own_documents.is_own(document.document_type, is_sender=_is_from_us(document))


def has_side(document: Document) -> bool:
    """Tell whether it is certain whose a document is: of a credit note, where somebody said it or it names us."""
    if document.document_type != "CREDIT_NOTE" or document.side is not None:
        return True
    ours = ourselves(organizations.get(document.organization_id))
    return _is_from_us(document) or ours.are(document.buyer, _buyer_vat_id(document))


def _is_from_us(document: Document) -> bool:
    ours = ourselves(organizations.get(document.organization_id))
    return ours.are(document.sender, document.seller_vat_id)


def _buyer_vat_id(document: Document) -> str | None:
    stated = document.invoice or {}
    found: str | None = (stated.get("buyer") or {}).get("vat_id")
    return found


def is_paid_to_us(document: Document) -> bool:
    """Tell whether the money of a document comes in."""
    return own_documents.is_paid_to_us(document.document_type, document.total_minor, is_own=is_own(document))


def other_party(document: Document) -> OtherParty | None:
    """Give the other party of a document, none where it names nobody."""
    if is_own(document):
        party = OtherParty(document.buyer, _buyer_vat_id(document), None)
    else:
        party = OtherParty(document.sender, document.seller_vat_id, document.iban)
    return party if party.name or party.vat_id or party.iban else None
