"""Pairs of bank lines that are one transfer between own accounts, and the pairs that somebody dismissed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import PAIR_DIFFERENCES, PAIR_STATUSES
from webapp.models.base import MONEY, BigId, Numbered, created, foreign_key, numbered, one_of

STANDING = sa.text("status = 'STANDING'")


class TransferPair(Numbered, Base):
    """One line's side of a pair; each pair is two rows, so that one unique index keeps a line in one pair at most.

    UNDONE and DISMISSED pairs stay, and are not proposed again. `counters` are the legs that the line's entry had
    opposite the bank's before it was paired. `difference_entry_id` is the posted entry that realised what the pair
    left over; `is_settled` while all that is posted of both sides and of it comes to nil on "Transfers".
    `part_minor` is the part of a split line that is the transfer, none where all of it is; `difference` is what
    somebody called the rest.
    """

    __tablename__ = "transfer_pairs"
    __table_args__ = numbered(
        one_of("status", *PAIR_STATUSES),
        one_of("difference", *PAIR_DIFFERENCES),
        foreign_key("transaction_id", "transactions"),
        foreign_key("other_id", "transactions"),
        foreign_key("difference_entry_id", "journal_entries"),
        sa.CheckConstraint("transaction_id <> other_id", name="two_lines"),
        sa.UniqueConstraint("organization_id", "transaction_id", "other_id"),
        sa.Index(
            "uq_transfer_pairs_standing",
            "organization_id",
            "transaction_id",
            unique=True,
            sqlite_where=STANDING,
            postgresql_where=STANDING,
        ),
        sa.Index("ix_transfer_pairs_other", "organization_id", "other_id"),
        sa.Index(
            "ix_transfer_pairs_difference",
            "organization_id",
            "difference_entry_id",
            sqlite_where=sa.text("difference_entry_id IS NOT NULL"),
            postgresql_where=sa.text("difference_entry_id IS NOT NULL"),
        ),
    )

    transaction_id: Mapped[int] = mapped_column(BigId)
    other_id: Mapped[int] = mapped_column(BigId)
    status: Mapped[str] = mapped_column(sa.String(16))
    counters: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    part_minor: Mapped[int | None] = mapped_column(MONEY)
    difference: Mapped[str | None] = mapped_column(sa.String(8))
    difference_entry_id: Mapped[int | None] = mapped_column(BigId)
    is_settled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = created()
    ended_at: Mapped[datetime | None] = mapped_column(Instant)
