"""Kept items: found by their ids, by what they are of, and those of a party that are open."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import NotFoundError
from webapp.ledger.journal.entries import Leg
from webapp.models import Account, JournalEntry, Merchant, OwedItem, refers_to
from webapp.queries.common import merchants
from webapp.queries.items import derivations

# What counts as the party of an item: what its merchant is merged into, or the merchant itself.
PARTY = sa.func.coalesce(Merchant.merged_into_id, OwedItem.org_merchant_id)


@dataclass(frozen=True, slots=True)
class Key:
    """What an item is of; no entry is the opening item."""

    account_id: int
    currency: str
    merchant_id: int | None
    root_id: int | None


def get(organization_id: str, item_id: int) -> OwedItem:
    """Find an item, or raise NotFoundError."""
    found = by_id(organization_id, [item_id])
    if not found:
        raise NotFoundError
    return found[item_id]


def by_id(organization_id: str, ids: Collection[int]) -> dict[int, OwedItem]:
    """Find the items with these ids, as they are now."""
    rows = db.session.scalars(
        _fresh(sa.select(OwedItem).where(OwedItem.organization_id == organization_id, OwedItem.id.in_(ids)))
    )
    return {row.id: row for row in rows}


def of_key(organization_id: str, key: Key) -> OwedItem | None:
    """Find the kept item of an account, currency, merchant and entry, as it is now."""
    party = OwedItem.org_merchant_id
    is_of_party = party.is_(None) if key.merchant_id is None else party == key.merchant_id
    found: OwedItem | None = db.session.scalar(
        _fresh(
            sa.select(OwedItem).where(
                OwedItem.organization_id == organization_id,
                OwedItem.account_id == key.account_id,
                OwedItem.currency == key.currency,
                is_of_party,
                OwedItem.journal_entry_id.is_(None)
                if key.root_id is None
                else OwedItem.journal_entry_id == key.root_id,
            )
        )
    )
    return found


def same_number(organization_id: str, leg: Leg) -> OwedItem | None:
    """Find an item in force with the account, party, number and amount of a leg that begins one."""
    party = OwedItem.org_merchant_id
    found: OwedItem | None = db.session.scalar(
        _fresh(
            sa.select(OwedItem)
            .join(JournalEntry, refers_to(OwedItem.journal_entry_id, JournalEntry))
            .where(
                OwedItem.organization_id == organization_id,
                OwedItem.account_id == leg.account_id,
                OwedItem.currency == leg.currency,
                party.is_(None)
                if leg.merchant_id is None
                else party.in_(merchants.alike(organization_id, leg.merchant_id)),
                OwedItem.reference == leg.reference,
                OwedItem.amount_minor == leg.amount_minor,
                JournalEntry.status == "POSTED",
            )
            .order_by(OwedItem.id)
            .limit(1)
        )
    )
    return found


def of_entry(organization_id: str, entry_id: int) -> Sequence[OwedItem]:
    """List the items that an entry and its corrections have, as they are now."""
    return db.session.scalars(
        _fresh(
            sa.select(OwedItem)
            .where(OwedItem.organization_id == organization_id, OwedItem.journal_entry_id == entry_id)
            .order_by(OwedItem.id)
        )
    ).all()


def _fresh(statement: Any) -> Any:
    """Read rows that the database itself changes, whatever the session holds of them."""
    return statement.execution_options(populate_existing=True)


def parties(organization_id: str, ids: Collection[int]) -> dict[int, int | None]:
    """Give the party of each item: one for a merchant and what is merged into it."""
    rows = db.session.execute(
        sa.select(OwedItem.id, PARTY.label("party"))
        .select_from(OwedItem)
        .outerjoin(Merchant, refers_to(OwedItem.org_merchant_id, Merchant))
        .where(OwedItem.organization_id == organization_id, OwedItem.id.in_(ids))
    )
    return {row.id: row.party for row in rows}


def latest_day(organization_id: str, items: Collection[OwedItem]) -> date:
    """Give the last day on which something of these items is posted."""
    account_ids = {each.account_id for each in items}
    root_ids = [each.journal_entry_id for each in items]
    whole = derivations.whole_items(derivations.is_posted_for(organization_id, account_ids, root_ids))
    day: date = db.session.execute(
        sa.select(sa.func.max(whole.c.latest))
        .join(OwedItem, derivations.is_of(whole))
        .where(OwedItem.organization_id == organization_id, OwedItem.id.in_([each.id for each in items]))
    ).scalar_one()
    return day


def latest_fact(organization_id: str, items: Collection[OwedItem]) -> date | None:
    """Give the latest day of what the entries of items are about; None where they open the account."""
    roots = [each.journal_entry_id for each in items if each.journal_entry_id is not None]
    return db.session.scalar(
        sa.select(sa.func.max(sa.func.coalesce(JournalEntry.fact_on, JournalEntry.effective_on))).where(
            JournalEntry.organization_id == organization_id, JournalEntry.id.in_(roots)
        )
    )


def nil_of_no_party(organization_id: str, account_id: int, currency: str) -> Sequence[OwedItem]:
    """List the open items of no party in a currency, if they come to nil together."""
    found = db.session.scalars(
        _fresh(
            sa.select(OwedItem)
            .where(
                OwedItem.organization_id == organization_id,
                OwedItem.account_id == account_id,
                OwedItem.currency == currency,
                OwedItem.org_merchant_id.is_(None),
                OwedItem.settled_minor != OwedItem.amount_minor,
            )
            .order_by(OwedItem.id)
        )
    ).all()
    return () if sum(each.amount_minor - each.settled_minor for each in found) else found


def count_open(account: Account) -> int:
    """Count the items of an account that are open."""
    statement = sa.select(sa.func.count()).where(
        OwedItem.organization_id == account.organization_id,
        OwedItem.account_id == account.id,
        OwedItem.amount_minor != OwedItem.settled_minor,
    )
    return db.session.scalars(statement).one()
