"""Server-side sessions, and the counters that slow down the guessing of passwords."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.models.base import BigId, created, keyed_by


class BrowserSession(Base):
    """A signed-in browser: only the SHA-256 of its cookie is stored."""

    __tablename__ = "sessions"
    __mapper_args__ = keyed_by("id_hash", "organization_id")

    id_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), index=True)
    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"))
    created_at: Mapped[datetime] = created()
    last_seen_at: Mapped[datetime] = mapped_column(Instant)
    address: Mapped[str | None] = mapped_column(sa.String(64))
    user_agent: Mapped[str | None] = mapped_column(sa.String(400))


class SignInCounter(Base):
    """Failed sign-ins of one account, one network or one browser: the instants of the latest, as ISO texts."""

    __tablename__ = "sign_in_counters"

    key: Mapped[str] = mapped_column(sa.String(80), primary_key=True)
    tried_at: Mapped[list[str]] = mapped_column(sa.JSON)
    last_try_at: Mapped[datetime] = mapped_column(Instant, index=True)


class FamiliarBrowser(Base):
    """A browser that a person has signed in with: only the SHA-256 of its cookie is stored."""

    __tablename__ = "familiar_browsers"

    id_hash: Mapped[str] = mapped_column(sa.String(64), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), primary_key=True, index=True)
    signed_in_at: Mapped[datetime] = mapped_column(Instant)
