"""Kept sums: what history adds up to, by day and by month, so that no balance ever reads history.

The database itself keeps them, by triggers in the transaction that posts or imports (migrations/sql), so that no
service can forget to; `tieout check` adds everything up again and compares.
"""

from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, declared_attr, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import MONEY, BigId, OrganizationKeyed

REACH = "BETWEEN -9223372036854775807 AND 9223372036854775807"


def _within_reach(*columns: str) -> list[sa.CheckConstraint]:
    """Refuse a sum that 64 bits cannot hold; SQLite would go on with a float."""
    return [sa.CheckConstraint(f"{column} {REACH}", name=f"{column}_within_reach") for column in columns]


def _of(column: str, table: str) -> sa.ForeignKeyConstraint:
    """Delete sums together with what they are of: they repeat what other rows have."""
    return sa.ForeignKeyConstraint(
        ["organization_id", column], [f"{table}.organization_id", f"{table}.id"], ondelete="CASCADE"
    )


class _AccountSum(OrganizationKeyed):
    """What POSTED and VOIDED entries put on an account in one currency, and its mirror in the base currency."""

    @declared_attr.directive
    def __table_args__(self) -> tuple[Any, ...]:
        return (
            _of("account_id", "accounts"),
            *_within_reach("amount_minor", "amount_base_minor"),
            {"sqlite_with_rowid": False},
        )

    account_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    currency: Mapped[str] = mapped_column(sa.String(3), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    amount_minor: Mapped[int] = mapped_column(MONEY)
    amount_base_minor: Mapped[int] = mapped_column(MONEY)


class DaySum(_AccountSum, Base):
    """What one day put on an account."""

    __tablename__ = "day_sums"


class MonthSum(_AccountSum, Base):
    """What one month put on an account; `day` is its first."""

    __tablename__ = "month_sums"


class _LineSum(OrganizationKeyed):
    """What a bank's lines of BOOKED and SET_ASIDE come to, and how many are BOOKED.

    Those of them that no standing proof has cleared are unreconciled.
    """

    @declared_attr.directive
    def __table_args__(self) -> tuple[Any, ...]:
        return (
            _of("feed_account_id", "feed_accounts"),
            *_within_reach("amount_minor"),
            {"sqlite_with_rowid": False},
        )

    feed_account_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(primary_key=True)
    amount_minor: Mapped[int] = mapped_column(MONEY)
    unreconciled_count: Mapped[int] = mapped_column(BigId)
    booked_count: Mapped[int] = mapped_column(BigId, server_default=sa.text("0"))


class LineDaySum(_LineSum, Base):
    """The lines that a feed account booked on one day."""

    __tablename__ = "line_day_sums"


class LineMonthSum(_LineSum, Base):
    """The lines that a feed account booked in one month; `day` is its first.

    Those of them are unconfirmed that are BOOKED and whose entry is a draft or has an open correction marker.
    """

    __tablename__ = "line_month_sums"

    unconfirmed_count: Mapped[int] = mapped_column(BigId, server_default=sa.text("0"))


class RegisterLine(OrganizationKeyed, Base):
    """A posting that counts, in its account's register, ordered by day, entry, posting.

    No key leads to the posting itself: whoever changes the legs of a draft would make the database look for
    lines that only what is posted has.
    """

    __tablename__ = "register_lines"
    __table_args__ = (_of("account_id", "accounts"), {"sqlite_with_rowid": False})

    account_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(primary_key=True)
    journal_entry_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    posting_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
