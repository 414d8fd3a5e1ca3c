"""Which document may be the same invoice as another one: by what its file states, or by sender and number alone."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.journal.transfer_sides import compact
from webapp.models import Document
from webapp.queries.documents import documents
from webapp.sql_functions import fold

# Of one number and amount.
MOST_ALIKE = 50


def same_invoice(document: Document) -> Document | None:
    """Find the document that is the same invoice: seller, number, type and gross amount; None without these.

    The file of one of them at least states them: what only people typed is asked about.
    """
    if not document.number or document.total_minor is None or not (document.seller_vat_id or document.sender):
        return None
    alike = sa.select(Document).where(
        Document.organization_id == document.organization_id,
        Document.number == document.number,
        Document.document_type == document.document_type,
        Document.total_minor == document.total_minor,
        Document.currency == document.currency,
    )
    found = db.session.scalars(alike.order_by(Document.id).limit(MOST_ALIKE))
    is_read = documents.invoice_of(document) is not None
    return next(
        (each for each in found if (is_read or documents.invoice_of(each)) and _is_seller(each, document)),
        None,
    )


def _is_seller(one: Document, other: Document) -> bool:
    """Tell whether two documents have one seller: by the VAT id where both state it, else by the name."""
    if one.seller_vat_id and other.seller_vat_id:
        return compact(one.seller_vat_id) == compact(other.seller_vat_id)
    return bool(one.sender) and (one.sender or "").casefold() == (other.sender or "").casefold()


def with_number(document: Document) -> Document | None:
    """Find the first other document with the sender, regardless of case, and the number of one; None without these."""
    if not (document.sender and document.number):
        return None
    others = sa.select(Document).where(
        Document.organization_id == document.organization_id,
        Document.number == document.number,
        fold(Document.sender) == fold(sa.literal(document.sender)),
    )
    if document.id is not None:
        others = others.where(Document.id != document.id)
    return db.session.scalars(others.order_by(Document.id).limit(1)).first()


def numbers_among(organization_id: str, numbers: Collection[str]) -> set[str]:
    """Give those of some numbers that a document has already, whoever sent it."""
    found = sa.select(Document.number).where(
        Document.organization_id == organization_id, Document.number.in_(numbers)
    )
    return {number for number in db.session.scalars(found) if number is not None}
