"""Schedules with their parts, closes of months with what they froze, and what people say of them."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import Base
from webapp.ledger.closing.closes import RHYTHMS, STANDING_CLOSES
from webapp.ledger.closing.schedules import EVERY, FIRST_MONTHS, METHODS, DayRule, ScheduleKind
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    OrganizationKeyed,
    created,
    foreign_key,
    numbered,
    one_of,
    partial_index,
)

PART_STATES = ("PLANNED", "POSTED", "REFUSED", "SKIPPED")


class Schedule(Numbered, Base):
    """An amount or an entry in parts that fall due by a rule.

    A RELEASE moves `amount_minor` of an account to another one, in the base currency worth `amount_base_minor`; a
    RECURRING one posts `legs` each time, as somebody writes them. A REVERSING one is the reversal of the entry
    `origin_entry_id`. A DEPRECIATION takes the cost of an asset down to its residual by a method, and a LOAN posts
    the interest of payments of `payment_minor`. The cost of an asset may stand on an account of its own,
    `asset_account_id`; once disposed of, `disposal_entry_id` took it out and `sale_entry_id` is what it was sold by.
    Where a person says so, the worker posts what is due of it: it `posts_itself`.
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
    # Of the reversal of an accrual: the later entry that it accrues.
    accrues_entry_id: Mapped[int | None] = mapped_column(BigId)
    posts_itself: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    created_at: Mapped[datetime] = created()


class SchedulePart(Numbered, Base):
    """A part of a schedule: posted once by its number, refused with the reason, or skipped.

    One that is POSTED has an entry, whose status says more: a draft waits for somebody who posts it. Of one whose
    entry was voided, the entry stays named, and it posts by hand only.
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


class Close(Numbered, Base):
    """A close from `starts_on` to `ends_on`: PREPARED until somebody approves it, CLOSED until it is reopened.

    `document` is what it froze, as canonical JSON; once closed it never changes. `lock_before` is the lock date that
    it replaced, `preparer_id` the person who prepared it or is behind the key that did.
    """

    __tablename__ = "closes"
    __table_args__ = numbered(
        one_of("status", "PREPARED", "CLOSED", "REOPENED"),
        foreign_key("previous_id", "closes"),
        partial_index("uq_closes_period", "organization_id", "ends_on", unique=True, where=STANDING_CLOSES),
        partial_index("ix_closes_previous", "previous_id", where="previous_id IS NOT NULL"),
    )

    period: Mapped[str] = mapped_column(sa.String(7))
    starts_on: Mapped[date]
    ends_on: Mapped[date]
    status: Mapped[str] = mapped_column(sa.String(8))
    needs_two: Mapped[bool]
    document: Mapped[str] = mapped_column(sa.Text)
    digest: Mapped[str] = mapped_column(sa.String(64))
    note: Mapped[str] = mapped_column(sa.Text, default="")
    previous_id: Mapped[int | None] = mapped_column(BigId)
    lock_before: Mapped[date | None]
    preparer_id: Mapped[int | None] = mapped_column(BigId)
    prepared_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    prepared_at: Mapped[datetime] = mapped_column(Instant)
    approved_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    approved_at: Mapped[datetime | None] = mapped_column(Instant)
    reopened_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    reopened_at: Mapped[datetime | None] = mapped_column(Instant)
    reopen_note: Mapped[str | None] = mapped_column(sa.Text)


class OwnStep(Numbered, Base):
    """A step that an organization adds to its closes, of every month, quarter or year: a person ticks it.

    It is due `due_after` days after the end of the month.
    """

    __tablename__ = "own_steps"
    __table_args__ = numbered(one_of("every", *RHYTHMS))

    name: Mapped[str] = mapped_column(sa.String(255))
    owner_id: Mapped[int | None] = mapped_column(BigId)
    due_after: Mapped[int | None]
    every: Mapped[str] = mapped_column(sa.String(8))
    is_archived: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = created()


class CloseMark(Numbered, Base):
    """What somebody ticked in the close of a month: a step as done, or something within a step, `about` it."""

    __tablename__ = "close_marks"
    __table_args__ = numbered(sa.UniqueConstraint("organization_id", "period", "code", "about"))

    period: Mapped[str] = mapped_column(sa.String(7))
    code: Mapped[str] = mapped_column(sa.String(32))
    about: Mapped[str] = mapped_column(sa.String(64), default="")
    note: Mapped[str] = mapped_column(sa.Text, default="")
    done_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    done_at: Mapped[datetime] = mapped_column(Instant)


class ClosePolicy(OrganizationKeyed, Base):
    """What an organization asks of its closes: two persons, documents from amounts on, sentences about changes.

    It `lets_accountants` approve them, or owners alone.
    """

    __tablename__ = "close_policies"
    __table_args__ = ({"sqlite_with_rowid": False},)

    needs_two: Mapped[bool] = mapped_column(default=False)
    expenses_from_minor: Mapped[int | None] = mapped_column(MONEY)
    manual_from_minor: Mapped[int | None] = mapped_column(MONEY)
    exempt_account_ids: Mapped[list[int]] = mapped_column(sa.JSON, default=list)
    exempt_merchant_ids: Mapped[list[int]] = mapped_column(sa.JSON, default=list)
    flux_amount_minor: Mapped[int | None] = mapped_column(MONEY)
    flux_percent: Mapped[int | None]
    lets_accountants: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
