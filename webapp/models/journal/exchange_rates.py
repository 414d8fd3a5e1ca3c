"""Exchange rates, as the European Central Bank quotes them: units of a currency for one unit of base."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Exact
from webapp.database.sessions import Base
from webapp.models.base import Numbered, created, numbered


class ExchangeRate(Numbered, Base):
    """One rate of one day; it serves until the next one, for ten days at most."""

    __tablename__ = "exchange_rates"
    __table_args__ = numbered(sa.UniqueConstraint("organization_id", "currency", "day"))

    day: Mapped[date]
    currency: Mapped[str] = mapped_column(sa.String(3))
    units_per_base: Mapped[Decimal] = mapped_column(Exact)
    source: Mapped[str] = mapped_column(sa.String(255))
    created_at: Mapped[datetime] = created()
