"""The chart of accounts."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.ledger.codes import ACCOUNT_TYPES
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, one_of, updated


class Account(Numbered, Base):
    """A ledger account; `role` names the system accounts that the books themselves post to.

    One that `keeps_items` has an item for each thing owed; what is dated before `items_from` is its opening items.
    """

    __tablename__ = "accounts"
    __table_args__ = numbered(
        one_of("type", *ACCOUNT_TYPES),
        sa.UniqueConstraint("organization_id", "code"),
        sa.UniqueConstraint("organization_id", "role"),
        foreign_key("parent_id", "accounts"),
    )

    code: Mapped[str | None] = mapped_column(sa.String(20))
    name: Mapped[str] = mapped_column(sa.String(255))
    type: Mapped[str] = mapped_column(sa.String(16))
    emoji: Mapped[str | None] = mapped_column(sa.String(64))
    currency: Mapped[str | None] = mapped_column(sa.String(3))
    parent_id: Mapped[int | None] = mapped_column(BigId)
    in_scope: Mapped[bool] = mapped_column(default=True)
    requires_counterparty: Mapped[bool] = mapped_column(default=False)
    is_watched: Mapped[bool] = mapped_column(default=False)
    is_revalued: Mapped[bool] = mapped_column(default=False)
    keeps_items: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    items_from: Mapped[date | None]
    is_archived: Mapped[bool] = mapped_column(default=False)
    role: Mapped[str | None] = mapped_column(sa.String(32))
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    @property
    def is_system(self) -> bool:
        """Return whether the books themselves need this account."""
        return self.role is not None
