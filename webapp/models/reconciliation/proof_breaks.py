"""Breaks of proofs with their repairs, and the proofs that a write touched."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import REPAIRS
from webapp.models.base import MONEY, BigId, Numbered, OrganizationKeyed, foreign_key, numbered, one_of

UNREPAIRED = sa.text("repaired_at IS NULL")


class ProofBreak(Numbered, Base):
    """The time for which a proof did not hold: what broke it, and what ended that.

    `journal_entry_id` and `transaction_id` name what may be gone by now, so they are no keys. `cleared_now_minor`
    and `off_by_minor` are what its cleared items last came to, and by how much the statement was off from them.
    """

    __tablename__ = "proof_breaks"
    __table_args__ = numbered(
        one_of("repair", *REPAIRS),
        foreign_key("reconciliation_id", "reconciliations"),
        sa.CheckConstraint("(repaired_at IS NULL) = (repair IS NULL)", name="repaired_by_repair"),
        sa.Index("ix_proof_breaks_of", "organization_id", "reconciliation_id"),
        sa.Index(
            "uq_proof_breaks_unrepaired",
            "organization_id",
            "reconciliation_id",
            unique=True,
            sqlite_where=UNREPAIRED,
            postgresql_where=UNREPAIRED,
        ),
    )

    reconciliation_id: Mapped[int] = mapped_column(BigId)
    broken_at: Mapped[datetime] = mapped_column(Instant)
    broken_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    field: Mapped[str] = mapped_column(sa.String(16))
    before: Mapped[str | None] = mapped_column(sa.String(32))
    after: Mapped[str | None] = mapped_column(sa.String(32))
    cleared_now_minor: Mapped[int] = mapped_column(MONEY)
    off_by_minor: Mapped[int] = mapped_column(MONEY)
    repaired_at: Mapped[datetime | None] = mapped_column(Instant)
    repaired_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    repair_action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    repair: Mapped[str | None] = mapped_column(sa.String(16))


class TouchedProof(OrganizationKeyed, Base):
    """A standing proof that a write touched and that was not checked since; the database records it by triggers.

    The act that wrote checks it before it ends. A row that remains comes from a write past the application.
    `by_late_lines` is true where nothing touched it but booked lines that no statement has: they break it, and change
    none of its figures.
    """

    __tablename__ = "touched_proofs"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["organization_id", "reconciliation_id"],
            ["reconciliations.organization_id", "reconciliations.id"],
            ondelete="CASCADE",
        ),
    )

    reconciliation_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    by_late_lines: Mapped[bool] = mapped_column(server_default=sa.false())
