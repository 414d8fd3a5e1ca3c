"""People who sign in."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import BigId, created


class User(Base):
    """A person with an email address; the password is an argon2id hash, or none yet.

    With `letter_keys_off` no single letter acts on a page. Without a `locale` pages have that of the organization.
    """

    __tablename__ = "users"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=True)
    email: Mapped[str] = mapped_column(sa.String(320), unique=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    password_hash: Mapped[str | None] = mapped_column(sa.String(255))
    is_active: Mapped[bool] = mapped_column(default=True)
    letter_keys_off: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    locale: Mapped[str | None] = mapped_column(sa.String(16))
    created_at: Mapped[datetime] = created()
