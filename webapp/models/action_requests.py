"""Action requests: the audited record of a write: who, what, why, what it changed."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.db import Base, Instant
from webapp.models.base import Organized, created, one_of

if TYPE_CHECKING:
    from webapp.models.proposals import Proposal


class ActionRequest(Organized, Base):
    """One act on the books; its id is `ar_` and a sortable id."""

    __tablename__ = "action_requests"
    __table_args__ = (
        one_of("status", "PENDING", "EXECUTED", "REJECTED", "FAILED", "EXPIRED"),
        sa.UniqueConstraint("organization_id", "id"),
        sa.Index("ix_action_requests_target", "organization_id", "target_kind", "target_id"),
        sa.Index(
            "ix_action_requests_pending",
            "organization_id",
            "id",
            sqlite_where=sa.text("status = 'PENDING'"),
            postgresql_where=sa.text("status = 'PENDING'"),
        ),
    )

    id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    kind: Mapped[str] = mapped_column(sa.String(64))
    status: Mapped[str] = mapped_column(sa.String(16))
    actor: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    target_kind: Mapped[str] = mapped_column(sa.String(32))
    target_id: Mapped[str] = mapped_column(sa.String(40))
    title: Mapped[str] = mapped_column(sa.Text)
    note: Mapped[str] = mapped_column(sa.Text, default="")
    payload: Mapped[dict[str, Any]] = mapped_column(sa.JSON, default=dict)
    before: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    result: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    error: Mapped[str] = mapped_column(sa.Text, default="")
    created_at: Mapped[datetime] = created()
    decided_at: Mapped[datetime | None] = mapped_column(Instant)

    proposal: Mapped[Proposal | None] = relationship(
        foreign_keys="Proposal.action_request_id",
        primaryjoin="Proposal.action_request_id == ActionRequest.id",
        uselist=False,
        viewonly=True,
    )

    @property
    def target(self) -> dict[str, str]:
        """What the act was about."""
        return {"kind": self.target_kind, "id": self.target_id}
