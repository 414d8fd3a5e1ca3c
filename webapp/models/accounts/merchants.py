"""Merchants: the counterparties as the organization knows them."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import BigId, Numbered, created, foreign_key, numbered, updated


class Merchant(Numbered, Base):
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
        sa.Index(
            "ix_merchants_merged",
            "organization_id",
            "merged_into_id",
            "id",
            sqlite_where=sa.text("merged_into_id IS NOT NULL"),
            postgresql_where=sa.text("merged_into_id IS NOT NULL"),
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
