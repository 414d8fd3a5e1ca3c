"""Suggested rules that somebody dismissed, so that they are not suggested again on the same evidence."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.ledger.suggestions.habits import LONGEST_KEY
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered


class SuggestionDismissal(Numbered, Base):
    """A suggested rule that was dismissed, by its `key` (ledger/suggestions/habits.py).

    It keeps how many lines were evidence for the rule at that time.
    """

    __tablename__ = "suggestion_dismissals"
    __table_args__ = numbered(
        foreign_key("account_id", "accounts"),
        sa.UniqueConstraint("organization_id", "key"),
    )

    key: Mapped[str] = mapped_column(sa.String(LONGEST_KEY))
    account_id: Mapped[int] = mapped_column(BigId)
    conditions: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    evidence_count: Mapped[int]
    sentence: Mapped[str] = mapped_column(sa.Text)
    dismissed_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    dismissed_at: Mapped[datetime] = created()
