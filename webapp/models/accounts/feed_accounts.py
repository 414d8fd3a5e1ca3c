"""Institutions, and the bank accounts of theirs that send lines."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.models.accounts.accounts import Account
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, refers_to, updated


class Institution(Numbered, Base):
    """A bank or card company as the organization knows it."""

    __tablename__ = "institutions"
    __table_args__ = numbered()

    name: Mapped[str] = mapped_column(sa.String(255))
    url: Mapped[str | None] = mapped_column(sa.String(2000))
    logo: Mapped[str | None] = mapped_column(sa.String(2000))
    created_at: Mapped[datetime] = created()


class FeedAccount(Numbered, Base):
    """A bank account that sends lines; one ledger account stands behind it, and behind no other.

    `refused_pushes` counts the pushes in a row that were refused as nonsense; at three the feed is paused.
    """

    __tablename__ = "feed_accounts"
    __table_args__ = numbered(
        foreign_key("account_id", "accounts"),
        foreign_key("institution_id", "institutions"),
        sa.UniqueConstraint("organization_id", "account_id"),
        sa.UniqueConstraint("organization_id", "external_id", "currency"),
    )

    account_id: Mapped[int] = mapped_column(BigId)
    institution_id: Mapped[int | None] = mapped_column(BigId)
    external_id: Mapped[str | None] = mapped_column(sa.String(255))
    name: Mapped[str] = mapped_column(sa.String(255))
    currency: Mapped[str] = mapped_column(sa.String(3))
    mask: Mapped[str | None] = mapped_column(sa.String(32))
    provider: Mapped[str] = mapped_column(sa.String(64), default="file")
    created_by_format: Mapped[str | None] = mapped_column(sa.String(16))
    is_active: Mapped[bool] = mapped_column(default=True)
    splits_batches: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    last_feed_at: Mapped[datetime | None] = mapped_column(Instant)
    refused_pushes: Mapped[int] = mapped_column(default=0, server_default="0")
    paused_at: Mapped[datetime | None] = mapped_column(Instant)
    paused_reason: Mapped[str | None] = mapped_column(sa.Text)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    account: Mapped[Account] = relationship(
        foreign_keys=account_id, primaryjoin=lambda: refers_to(FeedAccount.account_id, Account)
    )
    institution: Mapped[Institution | None] = relationship(
        foreign_keys=institution_id, primaryjoin=lambda: refers_to(FeedAccount.institution_id, Institution)
    )
