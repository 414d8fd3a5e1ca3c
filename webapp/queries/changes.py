"""What changed since an instant: by a record's own `updatedAt`, and where that is not all, by what hangs on it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.models import JournalEntry, Transaction


def since(entity: Any, instant: datetime) -> sa.ColumnElement[bool]:
    """Say in SQL that a record changed at or after an instant; it may say so of one that did not, never the reverse."""
    if entity is Transaction:
        return _line_since(instant)
    if entity is JournalEntry:
        return _entry_since(instant)
    changed: sa.ColumnElement[bool] = entity.updated_at >= instant
    return changed


def _line_since(instant: datetime) -> sa.ColumnElement[bool]:
    """A line changes with the bank and its draft, and when its entry or a correction of that is posted."""
    entry = orm.aliased(JournalEntry)
    posted = sa.exists().where(
        entry.organization_id == Transaction.organization_id,
        sa.or_(entry.id == Transaction.journal_entry_id, entry.corrects_id == Transaction.journal_entry_id),
        entry.posted_at >= instant,
    )
    return sa.or_(Transaction.updated_at >= instant, posted)


def _entry_since(instant: datetime) -> sa.ColumnElement[bool]:
    """An entry changes when it is made, posted or voided; a draft of a line with the line, one by hand at any time."""
    reversal, line = orm.aliased(JournalEntry), orm.aliased(Transaction)
    voided = sa.exists().where(
        reversal.organization_id == JournalEntry.organization_id,
        reversal.id == JournalEntry.voided_by_id,
        reversal.created_at >= instant,
    )
    drafted = sa.exists().where(
        line.organization_id == JournalEntry.organization_id,
        sa.or_(line.journal_entry_id == JournalEntry.id, line.journal_entry_id == JournalEntry.corrects_id),
        line.updated_at >= instant,
    )
    is_draft = JournalEntry.status == "DRAFT"
    return sa.or_(
        JournalEntry.created_at >= instant,
        JournalEntry.posted_at >= instant,
        sa.and_(is_draft, sa.or_(JournalEntry.source == "manual", drafted)),
        voided,
    )
