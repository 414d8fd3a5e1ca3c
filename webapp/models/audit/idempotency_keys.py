"""Idempotency keys: what a write was answered, for whoever sends it again."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import BigId, Numbered, created, numbered, one_of


class IdempotencyKey(Numbered, Base):
    """A key that one person or token gave to one request, by its fingerprint, and the answer to it."""

    __tablename__ = "idempotency_keys"
    __table_args__ = numbered(
        sa.UniqueConstraint("organization_id", "actor_kind", "actor_id", "key"),
        one_of("actor_kind", "PERSON", "TOKEN"),
        sa.Index("ix_idempotency_keys_created", "organization_id", "created_at"),
    )

    actor_kind: Mapped[str] = mapped_column(sa.String(8))
    actor_id: Mapped[int] = mapped_column(BigId)
    key: Mapped[str] = mapped_column(sa.String(255))
    fingerprint: Mapped[str] = mapped_column(sa.String(64))
    status: Mapped[int]
    content_type: Mapped[str] = mapped_column(sa.String(255))
    body: Mapped[bytes] = mapped_column(sa.LargeBinary)
    created_at: Mapped[datetime] = created()
