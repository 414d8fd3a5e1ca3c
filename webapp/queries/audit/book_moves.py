"""Whether the books have changed since a file was checked against them, by the audit chain."""

from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import AuditEvent
from webapp.queries.common.made_once import made_once

# Frequent acts that change neither lines nor rates nor accounts; any other act may.
HARMLESS: Final = frozenset(
    {
        "approve_proposal",
        "clear_reconciliation_items",
        "confirm_transaction",
        "create_journal_entry",
        "create_merchant",
        "create_project",
        "edit_transaction",
        "expire_proposal",
        "propose",
        "put_reconciliation_draft",
        "reject_proposal",
        "void_journal_entry",
    }
)


def last_act(organization_id: str) -> int:
    """Give the sequence number of the last event in the books, 0 where there is none."""
    return db.session.scalar(*_last_act(organization_id)) or 0


@made_once
def _last_act(organization_id: str) -> sa.Select[int]:
    last = sa.select(sa.func.max(AuditEvent.sequence))
    return last.where(AuditEvent.organization_id == organization_id)


def have_moved(organization_id: str, since: int) -> bool:
    """Return whether any act after a sequence number could change the verdicts on a file's lines."""
    statement = sa.select(AuditEvent.sequence).where(
        AuditEvent.organization_id == organization_id,
        AuditEvent.sequence > since,
        AuditEvent.kind.not_in(HARMLESS),
    )
    return db.session.scalar(statement.limit(1)) is not None
