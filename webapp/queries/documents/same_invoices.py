"""Which document may be the same invoice as another one: by what its file states, or by sender and number alone."""

from collections import defaultdict
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import sqlalchemy as sa

from webapp.database.functions import fold
from webapp.database.sessions import db
from webapp.ledger.journal.transfer_sides import compact
from webapp.models import Document
from webapp.queries.documents import documents

# Of one number and amount.
MOST_ALIKE = 50
# What documents of one invoice have alike, beside the seller.
ALIKE: Final = ("number", "document_type", "total_minor", "currency")


class NumberedBefore(NamedTuple):
    """The document that is the same invoice as another one, or that has its sender and number at least."""

    document: Document
    is_same: bool


def same_invoice(document: Document) -> Document | None:
    """Find the document that is the same invoice: seller, number, type and gross amount; None without these.

    Where two files state the type, it is the same to its code.
    The file of one of them at least states them: what only people typed is asked about.
    """
    if not document.number or document.total_minor is None or not (document.seller_vat_id or document.sender):
        return None
    alike = sa.select(Document).where(
        Document.organization_id == document.organization_id,
        *(getattr(Document, name) == getattr(document, name) for name in ALIKE),
    )
    found = db.session.scalars(alike.order_by(Document.id).limit(MOST_ALIKE))
    stated = documents.invoice_of(document)
    for each in found:
        other = documents.invoice_of(each)
        # An invoice and a self-billed one (389) of one number are two, which is for a person to say.
        is_of_type = not stated or not other or stated.get("type_code") == other.get("type_code")
        if (stated or other) and is_of_type and _is_seller(each, document):
            return each
    return None


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
    """Give those of some numbers that a document of any sender has already."""
    found = sa.select(Document.number).where(
        Document.organization_id == organization_id, Document.number.in_(numbers)
    )
    return {number for number in db.session.scalars(found) if number is not None}


def numbered_before(organization_id: str, new: Sequence[Document]) -> list[NumberedBefore | None]:
    """Find for each of some new invoices that state who they are from the document that has its sender and number."""
    wanted = {each.number for each in new}
    found = sa.select(Document).where(
        Document.organization_id == organization_id, Document.number.in_(wanted)
    )
    by_number = defaultdict(list)
    for each in db.session.scalars(found.order_by(Document.id)):
        by_number[each.number].append(each)
    return [_before(each, by_number[each.number]) for each in new]


def _before(new: Document, others: Sequence[Document]) -> NumberedBefore | None:
    of_seller = [each for each in others if _is_seller(each, new)]
    same = [each for each in of_seller if all(getattr(each, name) == getattr(new, name) for name in ALIKE)]
    return next((NumberedBefore(each, each in same) for each in [*same, *of_seller]), None)
