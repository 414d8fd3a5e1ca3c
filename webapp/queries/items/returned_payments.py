"""Payments that a bank line may bring back: of its party, of its amount the other way round, and not long before."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    OwedItem,
    Posting,
    Settlement,
    SettlementPart,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.items import listings

# A direct debit can be returned for eight weeks, and one that nobody allowed for thirteen months.
MOST_AGE: Final = timedelta(days=400)
MOST: Final = 3


def rows(line: Transaction, party_id: int | None) -> Sequence[Any]:
    """Read the settled payments of a party that a line may bring back, the latest first."""
    if party_id is None:
        return ()
    items = listings.as_of(line.organization_id)
    days = line.booked_on - MOST_AGE, line.booked_on
    return db.session.execute(
        sa.select(items)
        .where(
            items.c.party == party_id,
            items.c.currency == line.currency,
            items.c.amount_minor == line.amount_minor,
            items.c.settled_minor != 0,
            items.c.day.between(*days),
            items.c.id.in_(sa.select(OwedItem.id).where(of_same_organization(OwedItem, line), is_payment())),
        )
        .order_by(items.c.day.desc(), items.c.id.desc())
        .limit(MOST)
    ).all()


def is_payment() -> sa.ColumnElement[bool]:
    """Build the condition that an item is that of a bank line, and not of one that was voided."""
    is_of_line = sa.exists().where(
        Posting.organization_id == OwedItem.organization_id,
        Posting.journal_entry_id == OwedItem.journal_entry_id,
        Posting.is_bank_leg,
    )
    is_voided = sa.exists().where(
        SettlementPart.organization_id == OwedItem.organization_id,
        SettlementPart.item_id == OwedItem.id,
        refers_to(SettlementPart.settlement_id, Settlement),
        Settlement.status == "STANDING",
        Settlement.cause == "VOID",
    )
    return sa.and_(is_of_line, sa.not_(is_voided))


def is_of_payment(item: OwedItem) -> bool:
    """Return whether an item is that of a bank line that settled others, and not of one that was voided."""
    return bool(
        db.session.scalar(
            sa.select(OwedItem.id).where(
                of_same_organization(OwedItem, item), OwedItem.id == item.id, is_payment()
            )
        )
    )
