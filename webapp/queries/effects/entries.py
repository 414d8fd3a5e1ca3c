"""Entries by the thousand, told by what counts of them: day, state, words and legs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.models import JournalEntry, Posting, refers_to
from webapp.queries.common.portions import portions


def facts(organization_id: str, ids: Sequence[int]) -> Iterator[dict[str, Any]]:
    """Tell what counts of these entries, a record for each leg, with ids under the names that the API has for them."""
    for portion in portions(ids):
        rows = db.session.execute(
            sa.select(
                JournalEntry.id.label("journalEntryId"),
                JournalEntry.effective_on.label("day"),
                JournalEntry.status,
                JournalEntry.description,
                JournalEntry.corrects_id.label("correctsJournalEntryId"),
                Posting.account_id.label("accountId"),
                Posting.currency,
                Posting.amount_minor.label("amount"),
                Posting.amount_base_minor.label("amountBase"),
                Posting.org_merchant_id.label("orgMerchantId"),
                Posting.project_id.label("projectId"),
            )
            .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
            .where(JournalEntry.organization_id == organization_id, JournalEntry.id.in_(portion))
            .order_by(JournalEntry.id, Posting.position)
        )
        yield from ({**row, "day": row["day"].isoformat()} for row in rows.mappings())
