"""Audit events: insert-only, each carrying the hash of the one before it, a chain per organization."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.audit.action_requests import ActionRequest
from webapp.models.base import Organized, created, refers_to


class AuditEvent(Organized, Base):
    """One thing that happened; `body` is the canonical JSON that `hash` is of, together with `previous_hash`."""

    __tablename__ = "audit_events"
    __table_args__ = (
        sa.UniqueConstraint("organization_id", "hash"),
        sa.Index("ix_audit_events_request", "organization_id", "action_request_id"),
    )

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    sequence: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    at: Mapped[datetime] = created()
    kind: Mapped[str] = mapped_column(sa.String(64))
    action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    body: Mapped[str] = mapped_column(sa.Text)
    previous_hash: Mapped[str] = mapped_column(sa.String(64))
    hash: Mapped[str] = mapped_column(sa.String(64))


IS_EVENT_OF_ACT = sa.and_(
    refers_to(AuditEvent.action_request_id, ActionRequest),
    AuditEvent.kind == ActionRequest.kind,
)
