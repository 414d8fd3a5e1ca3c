"""Settlements of open items: which stand, what they take of each item, and their list."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    Account,
    JournalEntry,
    OwedItem,
    Settlement,
    SettlementEntry,
    SettlementPart,
    of_same_organization,
    refers_to,
)
from webapp.queries.common import lookups
from webapp.queries.common.changed_since import only_changed
from webapp.queries.common.paging import Order, Page, page
from webapp.queries.common.parts import with_parts

# The source of entries that a settlement causes.
SOURCE = "settlement"


def settled_amounts(organization_id: str | None = None) -> sa.Select[Any]:
    """Select what standing settlements take of each item, of one organization or of all."""
    part = SettlementPart
    columns: list[Any] = [
        part.organization_id,
        part.item_id,
        sa.func.sum(part.amount_minor).label("amount_minor"),
        sa.func.sum(part.amount_base_minor).label("amount_base_minor"),
    ]
    return (
        sa.select(*columns)
        .join(Settlement, refers_to(part.settlement_id, Settlement))
        .where(
            Settlement.status == "STANDING",
            sa.true() if organization_id is None else part.organization_id == organization_id,
        )
        .group_by(part.organization_id, part.item_id)
    )


def get(organization_id: str, settlement_id: int) -> Settlement:
    """Find a settlement, or raise NotFoundError."""
    return lookups.get(Settlement, organization_id, settlement_id)


def listed(
    organization_id: str,
    *,
    account_id: int | None = None,
    changed_since: datetime | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[Settlement]:
    """List settlements, newest first."""
    statement = sa.select(Settlement).where(Settlement.organization_id == organization_id)
    if account_id is not None:
        statement = statement.where(Settlement.account_id == account_id)
    statement = only_changed(statement, Settlement, organization_id, changed_since)
    keys: tuple[Any, ...] = (Settlement.id,)
    found = page(statement, Order(keys), after=after, limit=limit)
    return found.of(with_parts(Settlement.parts, found.items))


def of_entry(entry: JournalEntry) -> Sequence[Settlement]:
    """List the standing settlements of an entry's items, newest first."""
    return _standing(entry.organization_id, SettlementPart.journal_entry_id == entry.id)


def of_items(organization_id: str, item_ids: Collection[int]) -> Sequence[Settlement]:
    """List the standing settlements of some items, newest first."""
    return _standing(organization_id, SettlementPart.item_id.in_(item_ids))


def joining(organization_id: str, merchant_ids: Collection[int]) -> Sequence[Settlement]:
    """List the standing settlements that join items of some merchants with items of others, newest first."""
    is_theirs = sa.case((OwedItem.org_merchant_id.in_(merchant_ids), 1), else_=0)
    mixed = (
        sa.select(SettlementPart.settlement_id)
        .join(OwedItem, refers_to(SettlementPart.item_id, OwedItem))
        .where(SettlementPart.organization_id == organization_id)
        .group_by(SettlementPart.settlement_id)
        .having(sa.func.min(is_theirs) != sa.func.max(is_theirs))
    )
    return _standing(organization_id, SettlementPart.settlement_id.in_(mixed))


def of_account(account: Account) -> Sequence[Settlement]:
    """List the standing settlements of an account, newest first."""
    return db.session.scalars(
        sa.select(Settlement)
        .where(
            of_same_organization(Settlement, account),
            Settlement.account_id == account.id,
            Settlement.status == "STANDING",
        )
        .order_by(Settlement.id.desc())
    ).all()


def _standing(organization_id: str, *chosen: sa.ColumnElement[bool]) -> Sequence[Settlement]:
    ids = sa.select(SettlementPart.settlement_id).where(
        SettlementPart.organization_id == organization_id, *chosen
    )
    return db.session.scalars(
        sa.select(Settlement)
        .where(
            Settlement.organization_id == organization_id,
            Settlement.status == "STANDING",
            Settlement.id.in_(ids),
        )
        .order_by(Settlement.id.desc())
    ).all()


def causing(entry: JournalEntry) -> SettlementEntry | None:
    """Find the settlement that caused an entry, by its record."""
    return db.session.scalar(
        sa.select(SettlementEntry).where(
            of_same_organization(SettlementEntry, entry), SettlementEntry.journal_entry_id == entry.id
        )
    )


def caused_by(settlement: Settlement) -> Sequence[JournalEntry]:
    """List the entries that a settlement caused and that are in force, oldest first."""
    return db.session.scalars(
        sa.select(JournalEntry)
        .join(SettlementEntry, refers_to(SettlementEntry.journal_entry_id, JournalEntry))
        .where(
            of_same_organization(SettlementEntry, settlement),
            SettlementEntry.settlement_id == settlement.id,
            JournalEntry.status == "POSTED",
        )
        .order_by(JournalEntry.id)
    ).all()


def by_entry(organization_id: str) -> dict[int, list[int]]:
    """Give the standing settlements that join each entry, or caused it, oldest first."""
    columns = (
        (SettlementPart.journal_entry_id, SettlementPart),
        (SettlementEntry.journal_entry_id, SettlementEntry),
    )
    rows = db.session.execute(
        sa.union(
            *(
                sa.select(entry_id, Settlement.id)
                .join(Settlement, refers_to(table.settlement_id, Settlement))
                .where(
                    table.organization_id == organization_id,
                    Settlement.status == "STANDING",
                    entry_id.is_not(None),
                )
                for entry_id, table in columns
            )
        )
    )
    found: dict[int, list[int]] = {}
    for entry_id, settlement_id in sorted((int(row[0] or 0), row[1]) for row in rows):
        found.setdefault(entry_id, []).append(settlement_id)
    return found
