"""Settlements: open items of one account, in one currency, that sum to nil and were matched with each other."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import SETTLEMENT_CAUSES, SETTLEMENT_PURPOSES, SETTLEMENT_STATUSES
from webapp.ledger.money import Money
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    OrganizationKeyed,
    created,
    foreign_key,
    numbered,
    one_of,
    refers_to,
)
from webapp.models.journal_entries import JournalEntry


class Settlement(Numbered, Base):
    """A match of open items, which posts nothing itself: born OPEN, given its parts, then STANDING and frozen.

    The only later change is that it is UNDONE; the database refuses every other, and lets none stand of which the
    parts are no two that sum to nil. `settled_on` is the first open day at or after all that it joins,
    `undone_on` likewise: as of a day it counts from the one to before the other.
    """

    __tablename__ = "settlements"
    __table_args__ = numbered(
        one_of("status", *SETTLEMENT_STATUSES),
        one_of("cause", *SETTLEMENT_CAUSES),
        foreign_key("account_id", "accounts"),
        sa.CheckConstraint("(status = 'UNDONE') = (undone_on IS NOT NULL)", name="undone_on_a_day"),
        sa.Index("ix_settlements_account", "organization_id", "account_id", "id"),
    )

    account_id: Mapped[int] = mapped_column(BigId)
    currency: Mapped[str] = mapped_column(sa.String(3))
    base_currency: Mapped[str] = mapped_column(sa.String(3))
    status: Mapped[str] = mapped_column(sa.String(16), default="OPEN")
    cause: Mapped[str] = mapped_column(sa.String(16), default="BY_HAND", server_default="BY_HAND")
    settled_on: Mapped[date]
    undone_on: Mapped[date | None]
    actor: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    reason: Mapped[str | None] = mapped_column(sa.Text)
    created_at: Mapped[datetime] = created()
    undone_at: Mapped[datetime | None] = mapped_column(Instant)

    parts: Mapped[list[SettlementPart]] = relationship(
        order_by="SettlementPart.id",
        foreign_keys="SettlementPart.settlement_id",
        primaryjoin=lambda: refers_to(SettlementPart.settlement_id, Settlement),
    )

    @property
    def updated_at(self) -> datetime:
        """When it was made, or undone, which is its only change."""
        return self.undone_at or self.created_at


class SettlementPart(Numbered, Base):
    """What a settlement takes of one open item, with the item's sign; the parts of one settlement sum to nil.

    `item_id` is the first posting of the item, `journal_entry_id` the entry that it is of; an opening item has none.
    """

    __tablename__ = "settlement_parts"
    __table_args__ = numbered(
        foreign_key("settlement_id", "settlements"),
        foreign_key("journal_entry_id", "journal_entries"),
        sa.UniqueConstraint("settlement_id", "item_id"),
        sa.Index("ix_settlement_parts_settlement", "organization_id", "settlement_id", "id"),
        sa.Index("ix_settlement_parts_item", "organization_id", "item_id"),
        sa.Index("ix_settlement_parts_entry", "organization_id", "journal_entry_id"),
    )

    settlement_id: Mapped[int] = mapped_column(BigId)
    item_id: Mapped[int] = mapped_column(BigId)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    amount_minor: Mapped[int] = mapped_column(MONEY)
    amount_base_minor: Mapped[int] = mapped_column(MONEY)

    settlement: Mapped[Settlement] = relationship(
        foreign_keys=settlement_id,
        primaryjoin=lambda: refers_to(SettlementPart.settlement_id, Settlement),
        viewonly=True,
    )
    entry: Mapped[JournalEntry] = relationship(
        foreign_keys=journal_entry_id,
        primaryjoin=lambda: refers_to(SettlementPart.journal_entry_id, JournalEntry),
        viewonly=True,
    )

    @property
    def amount(self) -> Money:
        """The part in the currency of its item."""
        return Money(self.amount_minor, self.settlement.currency)

    @property
    def amount_base(self) -> Money:
        """The part's share in the base currency."""
        return Money(self.amount_base_minor, self.settlement.base_currency)


class SettlementEntry(OrganizationKeyed, Base):
    """An entry that a settlement caused: it is posted with it, and voided by undoing it."""

    __tablename__ = "settlement_entries"
    __table_args__ = (
        one_of("purpose", *SETTLEMENT_PURPOSES),
        foreign_key("settlement_id", "settlements"),
        foreign_key("journal_entry_id", "journal_entries"),
        sa.Index("ix_settlement_entries_settlement", "organization_id", "settlement_id"),
    )

    journal_entry_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    settlement_id: Mapped[int] = mapped_column(BigId)
    purpose: Mapped[str] = mapped_column(sa.String(16))
