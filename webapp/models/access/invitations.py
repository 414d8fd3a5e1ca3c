"""Invitations into an organization's books, each with the one-time link that accepts it."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.scopes import ROLES
from webapp.models.access.organizations import Organization
from webapp.models.base import Numbered, created, numbered, one_of


class Invitation(Numbered, Base):
    """An address that was asked into the books; nobody is a member by it before the link is used.

    `name` is what the owner calls the person. Of the link only the SHA-256 of its secret is stored.
    """

    __tablename__ = "invitations"
    __table_args__ = numbered(one_of("role", *ROLES), sa.UniqueConstraint("organization_id", "email"))

    email: Mapped[str] = mapped_column(sa.String(320), index=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    role: Mapped[str] = mapped_column(sa.String(16))
    token_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    linked_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()

    organization: Mapped[Organization] = relationship()
