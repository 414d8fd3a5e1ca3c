"""Items that are owed, and what a bank line is to settle of them when it is confirmed."""

from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import MONEY, BigId, OrganizationKeyed, foreign_key, partial_index

# Never beyond the item, and never of the other sign; what closes an item takes all of its base.
WITHIN = (
    "({settled} BETWEEN 0 AND {whole}) OR ({settled} BETWEEN {whole} AND 0)"  # one of the two for either sign
)
CLOSED = "amount_minor = 0 OR settled_minor <> amount_minor OR settled_base_minor = amount_base_minor"
OPEN = "settled_minor <> amount_minor OR settled_base_minor <> amount_base_minor"


class OwedItem(OrganizationKeyed, Base):
    """What one entry with all its corrections has on one account, in one currency, for one merchant.

    The database itself keeps the row, by triggers as entries are posted and settlements stand and end (migration
    0059); `tieout check` derives it again. `id` is the item's first posting. `journal_entry_id` is the original entry;
    without one it is the opening item: all that was on the account before it kept items, without a day.
    `day` is the entry's own, never one that a lock moved.
    """

    __tablename__ = "items"
    __table_args__ = (
        foreign_key("account_id", "accounts"),
        foreign_key("org_merchant_id", "merchants"),
        foreign_key("journal_entry_id", "journal_entries"),
        sa.CheckConstraint(
            WITHIN.format(settled="settled_minor", whole="amount_minor"), name="settled_within"
        ),
        sa.CheckConstraint(
            WITHIN.format(settled="settled_base_minor", whole="amount_base_minor"),
            name="settled_base_within",
        ),
        sa.CheckConstraint(CLOSED, name="closed_in_base"),
        sa.Index("ix_items_entry", "organization_id", "journal_entry_id", "account_id"),
        sa.Index("ix_items_account", "organization_id", "account_id", "org_merchant_id", "currency"),
        # The few that are open are found without reading all that was ever paid.
        partial_index("ix_items_open", "organization_id", "account_id", "id", where=OPEN),
    )

    id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    account_id: Mapped[int] = mapped_column(BigId)
    currency: Mapped[str] = mapped_column(sa.String(3))
    org_merchant_id: Mapped[int | None] = mapped_column(BigId)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    day: Mapped[date | None]
    due_on: Mapped[date | None]
    reference: Mapped[str | None] = mapped_column(sa.String(255))
    amount_minor: Mapped[int] = mapped_column(MONEY)
    amount_base_minor: Mapped[int] = mapped_column(MONEY)
    settled_minor: Mapped[int] = mapped_column(MONEY, default=0)
    settled_base_minor: Mapped[int] = mapped_column(MONEY, default=0)

    @property
    def name(self) -> str:
        """What a sentence calls it."""
        return self.reference or f"item {self.id}"


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
    """How much of an item a line is to pay, with the item's sign.

    `in_line_minor` is how much of the line that is, where it pays items in several currencies other than its own.
    """

    __tablename__ = "payment_parts"
    __table_args__ = (
        _goes_with("transaction_id", "transactions"),
        sa.Index("ix_payment_parts_item", "organization_id", "item_id"),
    )

    transaction_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    item_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    amount_minor: Mapped[int] = mapped_column(MONEY)
    in_line_minor: Mapped[int | None] = mapped_column(MONEY)


class DueChange(OrganizationKeyed, Base):
    """The due day that an item had in the reports of days before `since`, where a lock date kept them as they were."""

    __tablename__ = "due_changes"
    __table_args__ = (_goes_with("item_id", "items"),)

    item_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    since: Mapped[date] = mapped_column(primary_key=True)
    due_before: Mapped[date | None]
