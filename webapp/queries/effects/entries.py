"""Entries by the thousand, each by its facts alone: day, status, description and legs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.references import Kind, Ref
from webapp.models import JournalEntry, Posting, refers_to
from webapp.queries.common.portions import portions


def facts(organization_id: str, ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Read the facts of these entries, a record for each leg, with the keys that the API has for them."""
    for portion in portions(ids):
        rows = db.session.execute(
            sa.select(
                JournalEntry.id.label("entry_id"),
                JournalEntry.effective_on,
                JournalEntry.status,
                JournalEntry.description,
                JournalEntry.corrects_id,
                Posting.account_id,
                Posting.currency,
                Posting.amount_minor,
                Posting.amount_base_minor,
                Posting.org_merchant_id,
                Posting.project_id,
            )
            .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
            .where(JournalEntry.organization_id == organization_id, JournalEntry.id.in_(portion))
            .order_by(JournalEntry.id, Posting.position)
        )
        yield from (_facts(row) for row in rows)


def _facts(row: Any) -> dict[str, Any]:
    return {
        "journalEntryId": Ref(Kind.JOURNAL_ENTRY, row.entry_id),
        "day": row.effective_on.isoformat(),
        "status": row.status,
        "description": row.description,
        "correctsJournalEntryId": Ref.optional(Kind.JOURNAL_ENTRY, row.corrects_id),
        "accountId": Ref(Kind.ACCOUNT, row.account_id),
        "currency": row.currency,
        "amount": row.amount_minor,
        "amountBase": row.amount_base_minor,
        "orgMerchantId": Ref.optional(Kind.MERCHANT, row.org_merchant_id),
        "projectId": Ref.optional(Kind.PROJECT, row.project_id),
    }
