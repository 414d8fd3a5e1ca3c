"""The chart of accounts, bank accounts that send lines, merchants, and projects with their groups."""

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship, validates

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import ACCOUNT_TYPES
from webapp.ledger.texts.legible import plain
from webapp.models.base import (
    BigId,
    Numbered,
    created,
    foreign_key,
    numbered,
    one_of,
    partial_index,
    refers_to,
    updated,
)


class PlainNamed:
    """A row whose name a file or a feed may bring: what nobody sees is taken out of it."""

    @validates("name")
    def _plain_name(self, _key: str, name: str) -> str:
        return plain(name)


class Account(PlainNamed, Numbered, Base):
    """A ledger account; `role` names the system accounts that the books themselves post to.

    One that `keeps_items` has an item for each thing owed; what is dated before `items_from` is its opening items.
    One with a day `currency_from` took other currencies than its own up to that day.
    `group` is that of a subtotal of statements; none is the preset of its type, role and code.
    `tax_code_id` is the code that a bank line gets with the account.
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
    currency_from: Mapped[date | None]
    parent_id: Mapped[int | None] = mapped_column(BigId)
    in_scope: Mapped[bool] = mapped_column(default=True)
    requires_counterparty: Mapped[bool] = mapped_column(default=False)
    is_watched: Mapped[bool] = mapped_column(default=False)
    is_revalued: Mapped[bool] = mapped_column(default=False)
    keeps_items: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    items_from: Mapped[date | None]
    is_archived: Mapped[bool] = mapped_column(default=False)
    role: Mapped[str | None] = mapped_column(sa.String(32))
    group: Mapped[str | None] = mapped_column(sa.String(32))
    tax_code_id: Mapped[int | None] = mapped_column(BigId, info={"table": "tax_codes"})
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    @property
    def is_system(self) -> bool:
        """Return whether the books themselves need this account."""
        return self.role is not None


class Institution(PlainNamed, Numbered, Base):
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


class Merchant(PlainNamed, Numbered, Base):
    """A counterparty; its images are never loaded from elsewhere.

    One that is merged counts as `merged_into_id`, which is never merged itself. Where it came along with another one
    that was merged later, `merged_through_id` names that one, so that separating both brings everything back.
    `vat_ids` and `ibans` are what its invoices name it by, without spaces and in capitals.
    `terms_days` is how many days after its day an item of the merchant is due; none is on the day itself.
    """

    __tablename__ = "merchants"
    __table_args__ = numbered(
        foreign_key("merged_into_id", "merchants"),
        foreign_key("merged_through_id", "merchants"),
        sa.CheckConstraint("merged_into_id <> id", name="merged_into_another"),
        sa.CheckConstraint(
            "merged_through_id IS NULL OR merged_through_id NOT IN (id, merged_into_id)",
            name="merged_through_another",
        ),
        sa.CheckConstraint(
            "merged_through_id IS NULL OR merged_into_id IS NOT NULL", name="merged_through_merged"
        ),
        # The merged ones of an organization are read by every page that shows a merchant.
        partial_index(
            "ix_merchants_merged",
            "organization_id",
            "merged_into_id",
            "id",
            where="merged_into_id IS NOT NULL",
        ),
    )

    name: Mapped[str] = mapped_column(sa.String(255))
    website: Mapped[str | None] = mapped_column(sa.String(2000))
    image_url: Mapped[str | None] = mapped_column(sa.String(2000))
    logo: Mapped[str | None] = mapped_column(sa.String(2000))
    terms_days: Mapped[int | None]
    vat_ids: Mapped[list[str]] = mapped_column(sa.JSON, default=list, server_default="[]")
    ibans: Mapped[list[str]] = mapped_column(sa.JSON, default=list, server_default="[]")
    merged_into_id: Mapped[int | None] = mapped_column(BigId)
    merged_through_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    @property
    def counting_id(self) -> int:
        """The merchant that this one counts as: what it is merged into, or itself."""
        return self.merged_into_id or self.id


class ProjectGroup(Numbered, Base):
    """A group of projects; an emoji left out is the empty string."""

    __tablename__ = "project_groups"
    __table_args__ = numbered()

    name: Mapped[str] = mapped_column(sa.String(255))
    emoji: Mapped[str] = mapped_column(sa.String(64), default="")
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()


class Project(Numbered, Base):
    """A project, which postings of any account can belong to."""

    __tablename__ = "projects"
    __table_args__ = numbered(foreign_key("group_id", "project_groups"))

    name: Mapped[str] = mapped_column(sa.String(255))
    emoji: Mapped[str | None] = mapped_column(sa.String(64))
    group_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    group: Mapped[ProjectGroup | None] = relationship(
        foreign_keys=group_id, primaryjoin=lambda: refers_to(Project.group_id, ProjectGroup), lazy="joined"
    )
