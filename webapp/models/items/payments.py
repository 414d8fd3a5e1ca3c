"""Payments: what a bank line is to settle when it is confirmed. It reserves nothing."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import MONEY, BigId, OrganizationKeyed


def _goes_with(column: str, table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id", column], [f"{table}.organization_id", f"{table}.id"], ondelete="CASCADE"
    )


class LinePayment(OrganizationKeyed, Base):
    """A bank line that pays items; `short` is how much they are short of it, and what that is.

    It stays with the line when its entry is voided, so that the fresh draft pays the same.
    """

    __tablename__ = "payments"
    __table_args__ = (_goes_with("transaction_id", "transactions"),)

    transaction_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    short: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)


class PaymentPart(OrganizationKeyed, Base):
    """How much of an item a line is to pay, with the item's sign."""

    __tablename__ = "payment_parts"
    __table_args__ = (
        _goes_with("transaction_id", "transactions"),
        sa.Index("ix_payment_parts_item", "organization_id", "item_id"),
    )

    transaction_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    item_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    amount_minor: Mapped[int] = mapped_column(MONEY)
