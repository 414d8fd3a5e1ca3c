"""What documents state as prepaid: the item that is owed for them, and what its party paid before."""

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.models import Document, JournalEntry, Merchant, OwedItem, of_same_organization, refers_to
from webapp.queries.common import merchants
from webapp.queries.items import items
from webapp.queries.items.items import PARTY


def owed_item(document: Document, entry_id: int) -> OwedItem | None:
    """Find the item that the entry of a document made of what is owed; None where it states nothing as prepaid.

    It is one of the document's merchant, or of no party, and currency, and of no less than what was prepaid.
    """
    stated = document.prepaid
    if stated is None or not stated:
        return None
    found = [
        each
        for each in items.of_entry(document.organization_id, entry_id)
        if each.org_merchant_id == document.org_merchant_id
        and each.currency == stated.currency
        and abs(each.amount_minor) >= abs(stated.minor)
    ]
    return found[0] if len(found) == 1 else None


def paid_before(owed: OwedItem) -> list[OwedItem]:
    """List the open items of the other sign that the party of an item has beside it, the oldest first."""
    party = merchants.counting_id(owed.organization_id, owed.org_merchant_id)
    is_other = OwedItem.amount_minor < 0 if owed.amount_minor > 0 else OwedItem.amount_minor > 0
    return list(
        db.session.scalars(
            sa.select(OwedItem)
            .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
            .where(
                of_same_organization(OwedItem, owed),
                OwedItem.account_id == owed.account_id,
                OwedItem.currency == owed.currency,
                OwedItem.settled_minor != OwedItem.amount_minor,
                is_other,
                PARTY.is_(None) if party is None else PARTY.in_([party]),
            )
            .order_by(OwedItem.day, OwedItem.id)
            .execution_options(populate_existing=True)
        )
    )


def unsettled(document: Document) -> Money | None:
    """Give how much of what a document states as prepaid nothing has settled; None where that is nothing."""
    entry_ids = db.session.scalars(
        sa.select(JournalEntry.id).where(
            of_same_organization(JournalEntry, document),
            JournalEntry.document_id == document.id,
            JournalEntry.status == "POSTED",
        )
    )
    for entry_id in entry_ids if document.prepaid else ():
        owed = owed_item(document, entry_id)
        if owed is not None and document.prepaid is not None:
            left = abs(document.prepaid.minor) - abs(owed.settled_minor)
            return Money(left, document.prepaid.currency) if left > 0 else None
    return None
