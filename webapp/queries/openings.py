"""Where the books of a feed account begin, if somebody keeps it as new."""

from __future__ import annotations

from datetime import date

import sqlalchemy as sa

from webapp.db import db
from webapp.models import Reconciliation


def opening_day(organization_id: str, feed_account_id: int) -> date | None:
    """Give the opening day of the standing proof or the open draft that keeps the account as new."""
    return db.session.scalar(
        sa.select(sa.func.max(Reconciliation.opening_date)).where(
            Reconciliation.organization_id == organization_id,
            Reconciliation.feed_account_id == feed_account_id,
            Reconciliation.status.in_(("DRAFT", "COMPLETED")),
            Reconciliation.keep_as_new,
        )
    )
