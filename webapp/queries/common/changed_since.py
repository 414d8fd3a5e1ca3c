"""What changed since an instant: by a record's own `updatedAt`, and where that is not all, by what hangs on it."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.ledger.codes import MANUAL_SOURCES
from webapp.models import (
    JournalEntry,
    Reconciliation,
    ReconciliationItem,
    Rule,
    Settlement,
    Transaction,
    refers_to,
)


def only_changed(
    statement: sa.Select[Any], entity: Any, organization_id: str, instant: datetime | None
) -> sa.Select[Any]:
    """Leave out of a list what did not change at or after an instant, where one is asked for."""
    return statement if instant is None else statement.where(since(entity, organization_id, instant))


def since(entity: Any, organization_id: str, instant: datetime) -> sa.ColumnElement[bool]:
    """Say in SQL that a record changed at or after an instant; it may say so of one that did not, never the reverse.

    What hangs on records is looked up once for all of them, so that an answer without any reads each table once.
    """
    if entity is Transaction:
        return _line_since(organization_id, instant)
    if entity is JournalEntry:
        return _entry_since(organization_id, instant)
    if entity is Rule:
        return sa.or_(Rule.updated_at >= instant, Rule.last_run_at >= instant)
    if entity is Settlement:
        return sa.or_(Settlement.created_at >= instant, Settlement.undone_at >= instant)
    changed: sa.ColumnElement[bool] = entity.updated_at >= instant
    return changed


def _line_since(organization_id: str, instant: datetime) -> sa.ColumnElement[bool]:
    """A line changes with the bank and its draft, when its entry or a correction of that is posted, and with proofs."""
    entry = orm.aliased(JournalEntry)
    posted = (entry.organization_id == organization_id, entry.posted_at >= instant)
    proved = (
        sa.select(ReconciliationItem.transaction_id)
        .join(Reconciliation, refers_to(ReconciliationItem.reconciliation_id, Reconciliation))
        .where(
            ReconciliationItem.organization_id == organization_id,
            ReconciliationItem.transaction_id.is_not(None),
            sa.or_(Reconciliation.completed_at >= instant, Reconciliation.reopened_at >= instant),
        )
    )
    return sa.or_(
        Transaction.updated_at >= instant,
        Transaction.journal_entry_id.in_(sa.select(entry.id).where(*posted)),
        Transaction.journal_entry_id.in_(
            sa.select(entry.corrects_id).where(*posted, entry.corrects_id.is_not(None))
        ),
        Transaction.id.in_(proved),
    )


def _entry_since(organization_id: str, instant: datetime) -> sa.ColumnElement[bool]:
    """An entry changes when it is made, posted or voided; a draft of a line with the line, one by hand at any time."""
    reversal, line = orm.aliased(JournalEntry), orm.aliased(Transaction)
    reversals = sa.select(reversal.id).where(
        reversal.organization_id == organization_id,
        reversal.voids_id.is_not(None),
        reversal.created_at >= instant,
    )
    of_lines = sa.select(line.journal_entry_id).where(
        line.organization_id == organization_id,
        line.journal_entry_id.is_not(None),
        line.updated_at >= instant,
    )
    is_drafted = sa.or_(JournalEntry.id.in_(of_lines), JournalEntry.corrects_id.in_(of_lines))
    return sa.or_(
        JournalEntry.created_at >= instant,
        JournalEntry.posted_at >= instant,
        sa.and_(JournalEntry.status == "DRAFT", sa.or_(JournalEntry.source.in_(MANUAL_SOURCES), is_drafted)),
        JournalEntry.voided_by_id.in_(reversals),
    )
