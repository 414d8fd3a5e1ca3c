"""Totals of whole books, by which a restored copy is verified."""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.models import COUNTING, AuditEvent, JournalEntry, Organization, Posting, refers_to


def of_all(session: orm.Session) -> list[dict[str, Any]]:
    """Give for each organization its trial balance, added up from the postings themselves, and its chain's head.

    Amounts are minor units: {accountId: {currency: [amount, amount in the base currency]}}.
    """
    organizations = session.execute(
        sa.select(Organization.id, Organization.name).order_by(Organization.id)
    ).all()
    return [
        {
            "id": row.id,
            "name": row.name,
            "trialBalance": _trial_balance(session, row.id),
            "chainHead": _chain_head(session, row.id),
        }
        for row in organizations
    ]


def _trial_balance(session: orm.Session, organization_id: str) -> dict[str, dict[str, list[int]]]:
    rows = session.execute(
        sa.select(
            Posting.account_id,
            Posting.currency,
            sa.func.sum(Posting.amount_minor),
            sa.func.sum(Posting.amount_base_minor),
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(Posting.organization_id == organization_id, JournalEntry.status.in_(COUNTING))
        .group_by(Posting.account_id, Posting.currency)
        .order_by(Posting.account_id, Posting.currency)
    )
    found: dict[str, dict[str, list[int]]] = {}
    for account_id, currency, amount, base in rows:
        found.setdefault(str(account_id), {})[currency] = [int(amount), int(base or 0)]
    return found


def _chain_head(session: orm.Session, organization_id: str) -> dict[str, Any] | None:
    head = session.execute(
        sa.select(AuditEvent.sequence, AuditEvent.hash)
        .where(AuditEvent.organization_id == organization_id)
        .order_by(AuditEvent.sequence.desc())
        .limit(1)
    ).one_or_none()
    return None if head is None else {"sequence": head.sequence, "hash": head.hash}
