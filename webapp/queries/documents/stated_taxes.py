"""Taxes as documents state them: in their currency, and where they do (BT-111) in the base currency."""

from collections.abc import Iterable, Sequence
from decimal import Decimal

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.base_shares import OwedInBase
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import Document, DocumentRelation, Organization, refers_to
from webapp.queries.accounts import accounts


def in_base(document: Document, base: str) -> Money | None:
    """Give the tax of a document in the base currency without its sign, where it states one."""
    for other in (document.invoice or {}).get("other_taxes", ()):
        if other["currency"] == base:
            try:
                return abs(Money.of(Decimal(other["tax"]), base))
            except UnprocessableError:
                return None
    return None


def owed(
    organization: Organization, leading: Leg, others: Sequence[Leg], document: Document | None
) -> OwedInBase:
    """Give what legs opposite a foreign one are owed in base.

    The taxes are those of the document that the entry comes from, or else of the documents of a bank line.
    """
    base = organization.base_currency
    kept = accounts.in_currency(organization.id, base, {leg.account_id for leg in others})
    if document is not None:
        return OwedInBase(base, kept, _taxes([document], leading.currency, base))
    found = OwedInBase(base, kept)
    # Only then can a document change anything.
    if leading.transaction_id is None or not found.places(leading, others):
        return found
    taxes = _taxes(_of_line(organization.id, leading.transaction_id), leading.currency, base)
    return OwedInBase(base, kept, taxes)


def _taxes(documents: Iterable[Document], currency: str, base: str) -> dict[int, int | None]:
    taxes: dict[int, int | None] = {}
    for each in documents:
        if each.currency == currency and each.tax_minor:
            stated = in_base(each, base)
            taxes[abs(each.tax_minor)] = None if stated is None else stated.minor
    return taxes


def _of_line(organization_id: str, line_id: int) -> list[Document]:
    statement = (
        sa.select(Document)
        .join(DocumentRelation, refers_to(DocumentRelation.document_id, Document))
        .where(
            DocumentRelation.organization_id == organization_id, DocumentRelation.transaction_id == line_id
        )
    )
    return list(db.session.scalars(statement))
