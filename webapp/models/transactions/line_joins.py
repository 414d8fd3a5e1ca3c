"""Joins: rows of one account that are the same bank line, with the evidence, and those that a person refused."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import JOIN_STATUSES, JOIN_TIERS
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, one_of


class LineJoin(Numbered, Base):
    """Two rows, and whether they are one line: `kept_id` stays in the books, `joined_id` is only another report of it.

    SUGGESTED waits for a person. REFUSED was undone or settled as two lines, and is never joined by itself again.
    """

    __tablename__ = "line_joins"
    __table_args__ = numbered(
        one_of("tier", *JOIN_TIERS),
        one_of("status", *JOIN_STATUSES),
        foreign_key("kept_id", "transactions"),
        foreign_key("joined_id", "transactions"),
        sa.UniqueConstraint("organization_id", "kept_id", "joined_id"),
        sa.Index("ix_line_joins_joined", "organization_id", "joined_id"),
        # A line that comes again and again has very many suggestions; what is joined to it is found without them.
        sa.Index(
            "ix_line_joins_kept_joined",
            "organization_id",
            "kept_id",
            sqlite_where=sa.text("status = 'JOINED'"),
            postgresql_where=sa.text("status = 'JOINED'"),
        ),
        sa.Index(
            "uq_line_joins_joined_once",
            "organization_id",
            "joined_id",
            unique=True,
            sqlite_where=sa.text("status = 'JOINED'"),
            postgresql_where=sa.text("status = 'JOINED'"),
        ),
    )

    kept_id: Mapped[int] = mapped_column(BigId)
    joined_id: Mapped[int] = mapped_column(BigId)
    tier: Mapped[str] = mapped_column(sa.String(8))
    status: Mapped[str] = mapped_column(sa.String(9))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    evidence: Mapped[dict[str, Any]] = mapped_column(sa.JSON, default=dict)
    decided_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    undone_at: Mapped[datetime | None] = mapped_column(Instant)
