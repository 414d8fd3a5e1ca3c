"""Payments that a bank line may bring back: of its party, of its amount the other way round, and not long before."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.texts import remittances
from webapp.models import (
    OwedItem,
    Posting,
    Settlement,
    SettlementPart,
    Transaction,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import merchants
from webapp.queries.items import listings

# A direct debit can be returned for eight weeks, and one that nobody allowed for thirteen months.
MOST_AGE: Final = timedelta(days=400)
MOST: Final = 3
# Of one amount, where the party is not known.
MOST_READ: Final = 50
SHORTEST_NAME: Final = 4


def rows(line: Transaction, party_id: int | None) -> Sequence[Any]:
    """Read the settled payments that a line may bring back, the latest first.

    They are those of its party, or where that is not known those that the line's text names by their party, their
    reference or the number that they paid.
    """
    items = listings.as_of(line.organization_id)
    days = line.booked_on - MOST_AGE, line.booked_on
    is_of_party = sa.true() if party_id is None else items.c.party == party_id
    found = db.session.execute(
        sa.select(items)
        .where(
            is_of_party,
            items.c.currency == line.currency,
            items.c.amount_minor == line.amount_minor,
            items.c.settled_minor != 0,
            items.c.day.between(*days),
            items.c.id.in_(sa.select(OwedItem.id).where(of_same_organization(OwedItem, line), is_payment())),
        )
        .order_by(items.c.day.desc(), items.c.id.desc())
        .limit(MOST if party_id is not None else MOST_READ)
    ).all()
    return found if party_id is not None else _named(line, found)[:MOST]


def _named(line: Transaction, found: Sequence[Any]) -> list[Any]:
    """Choose the payments that a line's text names."""
    text = " ".join(part for part in (line.description, line.counterparty, line.reference) if part)
    named = {
        item_id
        for item_id, word, is_name in _words(line, found)
        if (_has_name(text, word) if is_name else remittances.names(text, word))
    }
    return [row for row in found if row.id in named]


def _has_name(text: str, name: str) -> bool:
    wanted = remittances.compacted(name)
    return len(wanted) >= SHORTEST_NAME and wanted in remittances.compacted(text)


def _words(line: Transaction, found: Sequence[Any]) -> Iterator[tuple[int, str, bool]]:
    """Yield by which words payments are known: their parties' names, their bank lines, and what they settled."""
    if not found:
        return
    of_entry = {row.journal_entry_id: row.id for row in found}
    names = merchants.counting(line.organization_id, {row.party for row in found})
    yield from ((row.id, names[row.party].name, True) for row in found if row.party in names)
    banks = sa.select(Posting.journal_entry_id, Transaction.counterparty, Transaction.reference).join(
        Transaction, refers_to(Posting.transaction_id, Transaction)
    )
    of_them = (of_same_organization(Posting, line), Posting.journal_entry_id.in_(of_entry))
    for entry_id, counterparty, reference in db.session.execute(banks.where(*of_them)):
        yield from ((of_entry[entry_id], word, True) for word in (counterparty,) if word)
        yield from ((of_entry[entry_id], word, False) for word in (reference,) if word)
    own, other = SettlementPart, sa.orm.aliased(SettlementPart)
    settled = (
        sa.select(own.item_id, OwedItem.reference)
        .join(other, sa.and_(of_same_organization(own, other), own.settlement_id == other.settlement_id))
        .join(OwedItem, refers_to(other.item_id, OwedItem))
        .where(
            of_same_organization(own, line),
            own.item_id.in_([row.id for row in found]),
            OwedItem.reference.is_not(None),
        )
    )
    yield from ((item_id, number, False) for item_id, number in db.session.execute(settled) if number)


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
