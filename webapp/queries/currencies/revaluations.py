"""Revaluations: the two entries of each, one as of a day and its reversal on the next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.models import ActionRequest, JournalEntry, of_same_organization

SOURCE = "revaluation"


def standing(organization_id: str, day: date) -> Sequence[JournalEntry]:
    """Find the entries of the revaluation as of a day that is not taken back, the earlier first."""
    acts = sa.select(ActionRequest.id).where(
        ActionRequest.organization_id == organization_id,
        ActionRequest.kind == "revalue",
        ActionRequest.target_kind == "day",
        ActionRequest.target_id == day.isoformat(),
    )
    return _standing(
        JournalEntry.organization_id == organization_id, JournalEntry.action_request_id.in_(acts)
    )


def of_entry(entry: JournalEntry) -> Sequence[JournalEntry]:
    """Find both standing entries of the revaluation that an entry belongs to, the earlier first; else none."""
    if entry.source != SOURCE or entry.status != "POSTED":
        return []
    return _standing(
        of_same_organization(JournalEntry, entry),
        JournalEntry.action_request_id == entry.action_request_id,
    )


def _standing(*conditions: sa.ColumnElement[bool]) -> Sequence[JournalEntry]:
    return db.session.scalars(
        sa.select(JournalEntry)
        .where(*conditions, JournalEntry.source == SOURCE, JournalEntry.status == "POSTED")
        .order_by(JournalEntry.effective_on, JournalEntry.id)
    ).all()
