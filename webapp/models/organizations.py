"""Organizations, their financial years, who belongs to them, and invitations into their books."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.currencies import digits
from webapp.ledger.money import Money
from webapp.ledger.notation.locales import DEFAULT_LOCALE
from webapp.ledger.scopes import ROLES
from webapp.models.base import (
    BigId,
    Numbered,
    OrganizationKeyed,
    Organized,
    created,
    foreign_key,
    numbered,
    one_of,
    partial_index,
)
from webapp.models.users import User


class Organization(Base):
    """Whose books they are; everything else belongs to exactly one.

    Its `locale` decides how pages write and read amounts and days, unless a person has another one. The files of its
    `drop_folder`, a folder of this machine, are taken for it. Files stay for `retention_years` after the financial year
    in which they came, or for ever.
    """

    __tablename__ = "organizations"

    id: Mapped[str] = mapped_column(sa.String(40), primary_key=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    base_currency: Mapped[str] = mapped_column(sa.String(3))
    time_zone: Mapped[str] = mapped_column(sa.String(64), default="UTC")
    locale: Mapped[str] = mapped_column(sa.String(16), default=DEFAULT_LOCALE, server_default=DEFAULT_LOCALE)
    lock_date: Mapped[date | None]
    # Adjusting entries of years up to it are closed as well.
    adjustments_lock_date: Mapped[date | None]
    # As its invoices name it, without spaces and in capitals.
    vat_ids: Mapped[list[str]] = mapped_column(sa.JSON, default=list, server_default="[]")
    drop_folder: Mapped[str | None] = mapped_column(sa.Text)
    retention_years: Mapped[int | None]
    # The kinds of jobs that are done for it by themselves.
    automatic: Mapped[list[str]] = mapped_column(
        sa.JSON, default=lambda: ["CHECK"], server_default='["CHECK"]'
    )
    # What one payment may write off, in minor units of the base currency; None is what most firms take.
    write_off_limit_minor: Mapped[int | None] = mapped_column(sa.BigInteger)
    # Up to which size explanations of differences need no approver.
    materiality_minor: Mapped[int] = mapped_column(sa.BigInteger, default=0, server_default="0")
    # Since when its members need a second factor; they have a week to add one.
    second_factor_since: Mapped[datetime | None] = mapped_column(Instant)
    # Whether keys may approve proposals in the place of their signed-in owners.
    has_approving_keys: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    is_demo: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = created()

    @property
    def write_off_limit(self) -> Money:
        """What one payment may write off at most: 100 units of the base currency, of those without digits 10,000."""
        limit = self.write_off_limit_minor
        return Money(
            100 * 10 ** max(digits(self.base_currency), 2) if limit is None else limit, self.base_currency
        )


class Membership(Organized, Base):
    """What a user may do in an organization, through which last day, and whether the hub leaves the first steps out."""

    __tablename__ = "memberships"
    __table_args__ = (one_of("role", *ROLES),)

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    user_id: Mapped[int] = mapped_column(BigId, sa.ForeignKey("users.id"), primary_key=True)
    role: Mapped[str] = mapped_column(sa.String(16))
    hides_steps: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    created_at: Mapped[datetime] = created()
    ends_on: Mapped[date | None]

    user: Mapped[User] = relationship()
    organization: Mapped[Organization] = relationship()


class LockException(Numbered, Base):
    """Lets a person who is signed in date entries by hand back to a locked day, until an instant or its end."""

    __tablename__ = "lock_exceptions"
    __table_args__ = numbered(partial_index("ix_lock_exceptions_user", "user_id", where="ended_at IS NULL"))

    user_id: Mapped[int] = mapped_column(BigId)
    starts_on: Mapped[date]
    until: Mapped[datetime] = mapped_column(Instant)
    note: Mapped[str] = mapped_column(sa.Text)
    granted_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    ended_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    ended_at: Mapped[datetime | None] = mapped_column(Instant)


class EquityOwner(Numbered, Base):
    """Somebody to whom results are put: on a capital account, from which drawings stand apart.

    `shares` are days with the share from each on, in their order: `[day, share]`; only their proportions count.
    """

    __tablename__ = "owners"
    __table_args__ = numbered(
        foreign_key("capital_account_id", "accounts"), foreign_key("drawings_account_id", "accounts")
    )

    name: Mapped[str] = mapped_column(sa.String(255))
    capital_account_id: Mapped[int] = mapped_column(BigId)
    drawings_account_id: Mapped[int | None] = mapped_column(BigId)
    shares: Mapped[list[list[str]]] = mapped_column(sa.JSON)
    is_archived: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = created()


class FinancialYear(OrganizationKeyed, Base):
    """From a day on, financial years begin with a month; without a row, with January."""

    __tablename__ = "financial_years"
    __table_args__ = (
        sa.CheckConstraint("first_month BETWEEN 1 AND 12", name="first_month"),
        {"sqlite_with_rowid": False},
    )

    starts_on: Mapped[date] = mapped_column(primary_key=True)
    first_month: Mapped[int]


class Invitation(Numbered, Base):
    """An address that was asked into the books; nobody is a member by it before the link is used.

    `name` is what the owner calls the person, who will be a member until `ends_on`. Of the link only the SHA-256 of
    its secret is stored. `refused_at` is when somebody with the link last gave another password than the address has.
    """

    __tablename__ = "invitations"
    __table_args__ = numbered(one_of("role", *ROLES), sa.UniqueConstraint("organization_id", "email"))

    email: Mapped[str] = mapped_column(sa.String(320), index=True)
    name: Mapped[str] = mapped_column(sa.String(255))
    role: Mapped[str] = mapped_column(sa.String(16))
    token_hash: Mapped[str] = mapped_column(sa.String(64), unique=True)
    linked_at: Mapped[datetime] = mapped_column(Instant)
    expires_at: Mapped[datetime] = mapped_column(Instant)
    refused_at: Mapped[datetime | None] = mapped_column(Instant)
    created_at: Mapped[datetime] = created()
    ends_on: Mapped[date | None]

    organization: Mapped[Organization] = relationship()
