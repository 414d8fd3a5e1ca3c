"""Organizations, whose books they are, and who belongs to them."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.sessions import Base
from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.ledger.scopes import ROLES
from webapp.models.access.users import User
from webapp.models.base import BigId, Organized, created, one_of


class Organization(Base):
    """Whose books they are; everything else belongs to exactly one.

    Its `locale` decides how pages write and read amounts and days, unless a person has another one. The files of its
    `drop_folder`, a folder of this machine, are taken for it. Files stay for `retention_years` after the financial year
    in which they came, or for ever.
    """

    __tablename__ = "organizations"

    id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    base_currency: Mapped[str] = mapped_column(sa.String(3))
    time_zone: Mapped[str] = mapped_column(sa.String(64), default="UTC")
    locale: Mapped[str] = mapped_column(sa.String(16), default=DEFAULT_LOCALE, server_default=DEFAULT_LOCALE)
    lock_date: Mapped[date | None]
    # As its invoices name it, without spaces and in capitals.
    vat_ids: Mapped[list[str]] = mapped_column(sa.JSON, default=list, server_default="[]")
    drop_folder: Mapped[str | None] = mapped_column(sa.Text)
    retention_years: Mapped[int | None]
    is_demo: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = created()


class Membership(Organized, Base):
    """What a user may do in an organization."""

    __tablename__ = "memberships"
    __table_args__ = (one_of("role", *ROLES),)

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), primary_key=True)
    role: Mapped[str] = mapped_column(sa.String(16))
    created_at: Mapped[datetime] = created()

    user: Mapped[User] = relationship()
    organization: Mapped[Organization] = relationship()
