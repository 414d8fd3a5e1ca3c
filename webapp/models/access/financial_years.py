"""The first month of the financial year of an organization, and since when."""

from __future__ import annotations

from datetime import date

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import OrganizationKeyed


class FinancialYear(OrganizationKeyed, Base):
    """From a day on, financial years begin with a month; without a row, with January."""

    __tablename__ = "financial_years"
    __table_args__ = (
        sa.CheckConstraint("first_month BETWEEN 1 AND 12", name="first_month"),
        {"sqlite_with_rowid": False},
    )

    starts_on: Mapped[date] = mapped_column(primary_key=True)
    first_month: Mapped[int]
