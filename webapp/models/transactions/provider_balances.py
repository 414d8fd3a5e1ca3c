"""Balances that the bank itself stated: snapshots of the close of a day."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.money import Money
from webapp.models.base import MONEY, BigId, Numbered, foreign_key, numbered


class ProviderBalance(Numbered, Base):
    """One stated balance; of several for one day the last by `stated_at` counts, else the last received."""

    __tablename__ = "provider_balances"
    __table_args__ = numbered(
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("import_id", "imports"),
        sa.Index("ix_provider_balances_by_day", "organization_id", "feed_account_id", "day"),
        sa.Index("ix_provider_balances_import", "organization_id", "import_id"),
    )

    feed_account_id: Mapped[int] = mapped_column(BigId)
    day: Mapped[date]
    amount_minor: Mapped[int] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(sa.String(3))
    stated_at: Mapped[datetime | None] = mapped_column(Instant)
    received_at: Mapped[datetime] = mapped_column(Instant)
    import_id: Mapped[int | None] = mapped_column(BigId)

    @property
    def amount(self) -> Money:
        """The balance, from the account holder's view."""
        return Money(self.amount_minor, self.currency)
