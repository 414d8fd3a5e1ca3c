"""The first entries that were posted to the accounts of proofs: since each was completed, or by one act."""

from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import (
    FeedAccount,
    JournalEntry,
    Posting,
    Reconciliation,
    of_same_organization,
    refers_to,
)


def first_since(organization_id: str, proof_ids: list[int]) -> dict[int, JournalEntry]:
    """Find for each proof the first entry posted to its account since it was completed, dated by its statement."""
    return _first(
        organization_id,
        Reconciliation.id.in_(proof_ids),
        JournalEntry.status != "DRAFT",
        JournalEntry.posted_at > Reconciliation.completed_at,
        JournalEntry.effective_on <= Reconciliation.statement_date,
    )


def first_of_act(organization_id: str, act_id: str, proof_ids: list[int]) -> dict[int, JournalEntry]:
    """Find for each proof the first entry that the act which is being done posted to its account.

    What it posted has the newest numbers.
    """
    of_others = (
        sa.select(JournalEntry.number)
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.number.is_not(None),
            JournalEntry.action_request_id.is_distinct_from(act_id),
        )
        .order_by(JournalEntry.number.desc())
        .limit(1)
    )
    posted = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id,
        JournalEntry.number > sa.func.coalesce(of_others.scalar_subquery(), 0),
    )
    return _first(organization_id, Reconciliation.id.in_(proof_ids), Posting.journal_entry_id.in_(posted))


def _first(organization_id: str, *chosen: sa.ColumnElement[bool]) -> dict[int, JournalEntry]:
    is_on_account = sa.and_(
        of_same_organization(Posting, FeedAccount), Posting.account_id == FeedAccount.account_id
    )
    columns: list[Any] = [Reconciliation.id.label("proof_id"), sa.func.min(JournalEntry.id).label("entry_id")]
    first = (
        sa.select(*columns)
        .join(FeedAccount, refers_to(Reconciliation.feed_account_id, FeedAccount))
        .join(Posting, is_on_account)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(Reconciliation.organization_id == organization_id, *chosen)
        .group_by(Reconciliation.organization_id, Reconciliation.id)
        .subquery()
    )
    rows = db.session.execute(
        sa.select(first.c.proof_id, JournalEntry)
        .join(JournalEntry, JournalEntry.id == first.c.entry_id)
        .where(JournalEntry.organization_id == organization_id)
    )
    return dict(rows.all())
