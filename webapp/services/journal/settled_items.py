"""Settlements that their items no longer carry: undone by the act that makes an item smaller, or gone."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.journal.settled_parts import carries
from webapp.ledger.references import Kind, refs
from webapp.models import JournalEntry, Settlement, SettlementPart
from webapp.queries.access import organizations
from webapp.queries.transfers import open_items, settlements
from webapp.services.audit import updates


def release(entry: JournalEntry, reason: str) -> None:
    """Undo every standing settlement of an entry's items."""
    _undo_all(list(settlements.of_entry(entry)), reason)


def release_uncarried(entry: JournalEntry, reason: str) -> None:
    """Undo the settlements that an entry's items no longer carry after a correction, newest first."""
    undone = []
    for settlement in settlements.of_entry(entry):
        if not _carries(entry, settlement.account_id):
            undone.append(settlement)
            undo(settlement, reason)
    _note(undone)


def undo(settlement: Settlement, reason: str) -> None:
    """End a settlement on the first open day at or after the one that it settled on."""
    day = _undone_on(settlement)
    settlement.status, settlement.reason, settlement.undone_on = "UNDONE", reason, day
    settlement.undone_at = updates.open_act().now
    db.session.flush()


def _undone_on(settlement: Settlement) -> date:
    return organizations.first_open_day(settlement.organization_id, settlement.settled_on)


def _undo_all(standing: list[Settlement], reason: str) -> None:
    for settlement in standing:
        undo(settlement, reason)
    _note(standing)


def _note(undone: list[Settlement]) -> None:
    """Name in the act what it undid besides."""
    if undone:
        doing = updates.open_act()
        ids = refs(Kind.SETTLEMENT, [each.id for each in undone])
        doing.before = {**(doing.before or {}), "settlementIds": ids}


def _carries(entry: JournalEntry, account_id: int) -> bool:
    db.session.flush()
    items = _amounts(entry, account_id)
    settled = settlements.settled_amounts(entry.organization_id).subquery()
    part = SettlementPart
    rows = db.session.execute(
        sa.select(settled.c.item_id, settled.c.amount_minor, settled.c.amount_base_minor).where(
            settled.c.organization_id == entry.organization_id,
            settled.c.item_id.in_(sa.select(part.item_id).where(part.journal_entry_id == entry.id)),
        )
    )
    return all(
        carries(items.get(row.item_id, (0, 0)), (int(row.amount_minor), int(row.amount_base_minor)))
        for row in rows
    )


def _amounts(entry: JournalEntry, account_id: int) -> Mapping[int, tuple[int, int]]:
    items = open_items.whole_items(entry.organization_id, account_id).c
    rows = db.session.execute(
        sa.select(items.item_id, items.amount_minor, items.amount_base_minor).where(items.root_id == entry.id)
    )
    return {row.item_id: (int(row.amount_minor), int(row.amount_base_minor)) for row in rows}
