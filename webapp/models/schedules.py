"""Schedules, and the parts that fall due by them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Exact
from webapp.database.sessions import Base
from webapp.ledger.closing.schedules import EVERY, FIRST_MONTHS, METHODS, DayRule, ScheduleKind
from webapp.models.base import MONEY, BigId, Numbered, created, foreign_key, numbered, one_of, partial_index

PART_STATES = ("PLANNED", "POSTED", "REFUSED", "SKIPPED")


class Schedule(Numbered, Base):
    """An amount or an entry in parts that fall due by a rule.

    A RELEASE moves `amount_minor` of an account to another one, in the base currency worth `amount_base_minor`; a
    RECURRING one posts `legs` each time, as somebody writes them. A REVERSING one is the reversal of the entry
    `origin_entry_id`. A DEPRECIATION takes the cost of an asset down to its residual by a method, and a LOAN posts
    the interest of payments of `payment_minor`. The cost of an asset may stand on an account of its own,
    `asset_account_id`; once disposed of, `disposal_entry_id` took it out and `sale_entry_id` is what it was sold by.
    """

    __tablename__ = "schedules"
    __table_args__ = numbered(
        one_of("kind", *ScheduleKind),
        one_of("status", "ACTIVE", "STOPPED"),
        one_of("every", *EVERY),
        one_of("day_rule", *DayRule),
        one_of("method", *METHODS),
        one_of("first_month", *FIRST_MONTHS),
        foreign_key("account_id", "accounts"),
        foreign_key("counter_account_id", "accounts"),
        foreign_key("document_id", "documents"),
        foreign_key("origin_entry_id", "journal_entries"),
        partial_index("ix_schedules_origin", "origin_entry_id", where="origin_entry_id IS NOT NULL"),
    )

    name: Mapped[str] = mapped_column(sa.String(255))
    kind: Mapped[str] = mapped_column(sa.String(16))
    status: Mapped[str] = mapped_column(sa.String(8), default="ACTIVE")
    account_id: Mapped[int | None] = mapped_column(BigId)
    counter_account_id: Mapped[int | None] = mapped_column(BigId)
    legs: Mapped[list[dict[str, Any]] | None] = mapped_column(sa.JSON(none_as_null=True))
    currency: Mapped[str | None] = mapped_column(sa.String(3))
    amount_minor: Mapped[int | None] = mapped_column(MONEY)
    amount_base_minor: Mapped[int | None] = mapped_column(MONEY)
    residual_minor: Mapped[int | None] = mapped_column(MONEY)
    method: Mapped[str | None] = mapped_column(sa.String(16))
    rate: Mapped[Decimal | None] = mapped_column(Exact)
    payment_minor: Mapped[int | None] = mapped_column(MONEY)
    first_month: Mapped[str | None] = mapped_column(sa.String(4))
    starts_on: Mapped[date]
    every: Mapped[str] = mapped_column(sa.String(8))
    day_rule: Mapped[str] = mapped_column(sa.String(16))
    document_id: Mapped[int | None] = mapped_column(BigId)
    origin_entry_id: Mapped[int | None] = mapped_column(BigId)
    # No keys of the database lead from these: they could not be added to the table. None of them is ever deleted.
    asset_account_id: Mapped[int | None] = mapped_column(BigId)
    disposed_on: Mapped[date | None]
    disposal_entry_id: Mapped[int | None] = mapped_column(BigId)
    sale_entry_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()


class SchedulePart(Numbered, Base):
    """A part of a schedule: posted once by its number, refused with the reason, or skipped.

    Of one whose entry was voided, the entry stays named, and it posts by hand only.
    """

    __tablename__ = "schedule_parts"
    __table_args__ = numbered(
        one_of("state", *PART_STATES),
        sa.CheckConstraint("state <> 'POSTED' OR journal_entry_id IS NOT NULL", name="posted_entry"),
        foreign_key("schedule_id", "schedules"),
        foreign_key("journal_entry_id", "journal_entries"),
        sa.UniqueConstraint("organization_id", "schedule_id", "number"),
        partial_index("ix_schedule_parts_entry", "journal_entry_id", where="journal_entry_id IS NOT NULL"),
        partial_index("ix_schedule_parts_due", "organization_id", "due_on", where="state <> 'SKIPPED'"),
    )

    schedule_id: Mapped[int] = mapped_column(BigId)
    number: Mapped[int]
    due_on: Mapped[date]
    amount_minor: Mapped[int | None] = mapped_column(MONEY)
    amount_base_minor: Mapped[int | None] = mapped_column(MONEY)
    state: Mapped[str] = mapped_column(sa.String(16), default="PLANNED")
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    refusal_code: Mapped[str | None] = mapped_column(sa.String(64))
    refusal: Mapped[str | None] = mapped_column(sa.Text)
