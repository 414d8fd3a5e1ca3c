"""API tokens, of which only a hash is stored."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db import Base, Instant
from webapp.models.base import BigId, Numbered, created, numbered


class ApiToken(Numbered, Base):
    """A bearer token of a user in one organization, with scopes out of the words of behaviour.md 5."""

    __tablename__ = "api_tokens"
    __table_args__ = numbered()

    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    prefix: Mapped[str] = mapped_column(sa.String(16))
    token_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    scopes: Mapped[list[str]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    expires_at: Mapped[datetime | None] = mapped_column(Instant)
    last_used_at: Mapped[datetime | None] = mapped_column(Instant)
    revoked_at: Mapped[datetime | None] = mapped_column(Instant)
