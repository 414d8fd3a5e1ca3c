"""Automation rules: stored and validated; what they do is decided by ledger/conditions and ledger/effects."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db import Base, Instant
from webapp.models.base import Numbered, created, numbered, one_of


class Rule(Numbered, Base):
    """A rule under its canonical names (behaviour.md 4)."""

    __tablename__ = "rules"
    __table_args__ = numbered(
        one_of("target", "RECEIPT", "TRANSACTION"),
        one_of(
            "trigger",
            "RECEIPT_PARSED",
            "TRANSACTION_INGESTED",
            "TRANSACTION_UPDATED",
            "MANUAL_PREVIEW",
            "MANUAL_APPLY",
        ),
        sa.Index("ix_rules_order", "organization_id", "priority", "id"),
    )

    name: Mapped[str] = mapped_column(sa.String(255))
    description: Mapped[str | None] = mapped_column(sa.String(500))
    target: Mapped[str] = mapped_column(sa.String(16))
    trigger: Mapped[str] = mapped_column(sa.String(32))
    conditions: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    effects: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    priority: Mapped[int] = mapped_column(default=100)
    stop_processing: Mapped[bool] = mapped_column(default=False)
    is_active: Mapped[bool] = mapped_column(default=True)
    version: Mapped[int] = mapped_column(default=1)
    match_count: Mapped[int] = mapped_column(default=0)
    last_run_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = created()
