"""Merchants: the counterparties as the organization knows them."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db import Base
from webapp.models.base import Numbered, created, numbered, updated


class Merchant(Numbered, Base):
    """A counterparty; its images are never loaded from elsewhere."""

    __tablename__ = "merchants"
    __table_args__ = numbered()

    name: Mapped[str] = mapped_column(sa.String(255))
    website: Mapped[str | None] = mapped_column(sa.String(2000))
    image_url: Mapped[str | None] = mapped_column(sa.String(2000))
    logo: Mapped[str | None] = mapped_column(sa.String(2000))
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()
