"""The numbers of journal entries: from one on and without a gap, so the newest is how many were ever posted."""

from typing import Any

import sqlalchemy as sa

from webapp.models import JournalEntry


def newest(organization_id: str) -> sa.Select[Any]:
    """Select the newest number of an organization; zero where nothing was posted."""
    return sa.select(sa.func.coalesce(sa.func.max(JournalEntry.number), 0)).where(
        JournalEntry.organization_id == organization_id
    )
