"""Journal entries, their postings, and exchange rates; once posted, the database refuses to change an entry."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import ENTRY_SOURCES, ENTRY_STATUSES
from webapp.ledger.money import Money
from webapp.models.accounts import Account
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    created,
    foreign_key,
    numbered,
    one_of,
    partial_index,
    refers_to,
)

COUNTING = ("POSTED", "VOIDED")


class JournalEntry(Numbered, Base):
    """A dated entry. DRAFT with `corrects_id` is a correction marker: what the corrected entry should look like.

    `voided_by_id` names the reversal that cancels it, `voids_id` is on that reversal and names the original.
    `action_request_id` is the act that posted it. `number` counts the posted entries of the organization from 1 in
    the order of posting, without gaps; a draft has none. `fact_on` is the day of what it is about, where that was
    before its own, and `is_moved` whether a lock date is why. `is_closing` closes a year in other books, as do its
    void and its correction: reports count its legs on income and expenses on retained earnings. `schedule_id` is the
    schedule that it is a part of, or whose first part reverses it. `tax_reason` is why it adjusts boxes by hand.
    `is_adjusting` is of a year's last day, after what its months were closed with. `lock_exception_id` is what let a
    person date it in a locked period. `appropriates_on` is the last day of the year whose result it puts to something.
    """

    __tablename__ = "journal_entries"
    __table_args__ = numbered(
        one_of("status", *ENTRY_STATUSES),
        one_of("source", *ENTRY_SOURCES),
        sa.CheckConstraint("(status = 'VOIDED') = (voided_by_id IS NOT NULL)", name="voided_by_reversal"),
        foreign_key("corrects_id", "journal_entries"),
        foreign_key("voids_id", "journal_entries"),
        foreign_key("voided_by_id", "journal_entries"),
        foreign_key("document_id", "documents"),
        partial_index(
            "uq_journal_entries_marker",
            "organization_id",
            "corrects_id",
            unique=True,
            where="status = 'DRAFT' AND corrects_id IS NOT NULL",
        ),
        sa.Index("uq_journal_entries_number", "organization_id", "number", unique=True),
        sa.Index("ix_journal_entries_newest", "organization_id", "effective_on", "id"),
        partial_index(
            "ix_journal_entries_facts", "organization_id", "effective_on", where="fact_on IS NOT NULL"
        ),
        *(
            partial_index(f"ix_journal_entries_{name}", "organization_id", "effective_on", where=where)
            for name, where in (
                ("closings", "is_closing"),
                ("adjusting", "is_adjusting"),
                ("appropriating", "appropriates_on IS NOT NULL"),
            )
        ),
        partial_index(
            "ix_journal_entries_drafts", "organization_id", "effective_on", "id", where="status = 'DRAFT'"
        ),
        # The hub asks whether the end of the last month is revalued.
        partial_index(
            "ix_journal_entries_revaluations",
            "organization_id",
            "action_request_id",
            where="source = 'revaluation'",
        ),
        # A search reads the texts of entries that no bank line brought; a line's own is found by its words.
        partial_index("ix_journal_entries_own", "organization_id", "id", where="source <> 'bank_feed'"),
        # Whoever deletes a draft makes the database ask whether a reversal names it, and whoever deletes a document
        # whether an entry came from it: without these, by a full scan.
        *(
            partial_index(
                f"ix_journal_entries_{name}", "organization_id", f"{name}_id", where=f"{name}_id IS NOT NULL"
            )
            for name in ("corrects", "voids", "voided_by", "document")
        ),
    )

    effective_on: Mapped[date]
    description: Mapped[str] = mapped_column(sa.Text, default="")
    status: Mapped[str] = mapped_column(sa.String(8), default="DRAFT")
    source: Mapped[str] = mapped_column(sa.String(16))
    base_currency: Mapped[str] = mapped_column(sa.String(3))
    corrects_id: Mapped[int | None] = mapped_column(BigId)
    voids_id: Mapped[int | None] = mapped_column(BigId)
    voided_by_id: Mapped[int | None] = mapped_column(BigId)
    document_id: Mapped[int | None] = mapped_column(BigId)
    action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    created_at: Mapped[datetime] = created()
    posted_at: Mapped[datetime | None] = mapped_column(Instant)
    number: Mapped[int | None] = mapped_column(sa.BigInteger)
    fact_on: Mapped[date | None]
    is_moved: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    is_closing: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # No key of the database leads to the schedule: it could not be added to the table. Schedules are never deleted.
    schedule_id: Mapped[int | None] = mapped_column(BigId)
    tax_reason: Mapped[str | None] = mapped_column(sa.String(20))
    is_adjusting: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # No key of the database leads to the exception: it could not be added to the table. None is ever deleted.
    lock_exception_id: Mapped[int | None] = mapped_column(BigId)
    appropriates_on: Mapped[date | None]

    postings: Mapped[list[Posting]] = relationship(
        order_by="Posting.position",
        foreign_keys="Posting.journal_entry_id",
        primaryjoin=lambda: refers_to(Posting.journal_entry_id, JournalEntry),
        cascade="all, delete-orphan",
    )

    @property
    def shown_source(self) -> str:
        """The source as the interface names it, which tells what is written by hand apart."""
        if self.source != "manual":
            return self.source
        named = {
            "closing": self.is_closing,
            "schedule": self.schedule_id,
            "tax": self.tax_reason,
            "appropriation": self.appropriates_on,
        }
        return next((name for name, is_so in named.items() if is_so), "manual")

    @property
    def is_marker(self) -> bool:
        """Return whether this draft is a correction marker."""
        return self.status == "DRAFT" and self.corrects_id is not None


class Posting(Numbered, Base):
    """A signed leg, debit positive; `transaction_id` is on bank legs and names their line.

    `due_on` and `reference` are those of the item that it begins, where the account keeps items. With `has_own_base`
    somebody wrote its amount in the base currency, which no rate decides. A leg of a tax code has the day of its tax
    point, and what it adds to boxes of forms: `[form, box, amount in minor units of the base currency]` each.
    """

    __tablename__ = "postings"
    # No key leads to a posting, so that it needs none of its own that carries the organization.
    __table_args__ = (
        foreign_key("journal_entry_id", "journal_entries"),
        foreign_key("account_id", "accounts"),
        foreign_key("org_merchant_id", "merchants"),
        foreign_key("project_id", "projects"),
        foreign_key("transaction_id", "transactions"),
        sa.UniqueConstraint("journal_entry_id", "position"),
        sa.Index("ix_postings_account", "account_id", "journal_entry_id"),
        partial_index("ix_postings_transaction", "transaction_id", where="transaction_id IS NOT NULL"),
        # Reports add up what a project or a merchant has. With the organization in front, SQLite would take such an
        # index for each entry of a period, and read all postings of the project again and again.
        *(
            partial_index(f"ix_postings_{name}", column, "journal_entry_id", where=f"{column} IS NOT NULL")
            for name, column in (("project", "project_id"), ("merchant", "org_merchant_id"))
        ),
        # The few postings of a bank's account that come from no line are found, all or by their amount, without
        # reading those that do.
        partial_index(
            "ix_postings_outside",
            "account_id",
            "amount_minor",
            "journal_entry_id",
            where="transaction_id IS NULL",
        ),
        partial_index("ix_postings_taxes", "organization_id", "tax_point", where="tax_point IS NOT NULL"),
        {"sqlite_autoincrement": True},
    )

    journal_entry_id: Mapped[int] = mapped_column(BigId)
    position: Mapped[int]
    account_id: Mapped[int] = mapped_column(BigId)
    amount_minor: Mapped[int] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(sa.String(3))
    amount_base_minor: Mapped[int | None] = mapped_column(MONEY)
    base_currency: Mapped[str] = mapped_column(sa.String(3))
    is_bank_leg: Mapped[bool] = mapped_column(default=False)
    org_merchant_id: Mapped[int | None] = mapped_column(BigId)
    project_id: Mapped[int | None] = mapped_column(BigId)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    due_on: Mapped[date | None]
    reference: Mapped[str | None] = mapped_column(sa.String(255))
    has_own_base: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    # No key of the database leads to the code: it could not be added to the table. Codes are never deleted.
    tax_code_id: Mapped[int | None] = mapped_column(BigId)
    tax_point: Mapped[date | None]
    boxes: Mapped[list[list[Any]] | None] = mapped_column(sa.JSON(none_as_null=True))

    account: Mapped[Account] = relationship(
        foreign_keys=account_id, primaryjoin=lambda: refers_to(Posting.account_id, Account)
    )

    @property
    def amount(self) -> Money:
        """The leg in its posting currency."""
        return Money(self.amount_minor, self.currency)

    @property
    def amount_base(self) -> Money | None:
        """The leg's mirror in the base currency, or none while a rate is missing."""
        return None if self.amount_base_minor is None else Money(self.amount_base_minor, self.base_currency)


class ExchangeRate(Numbered, Base):
    """One rate of one day; it serves until the next one, for ten days at most."""

    __tablename__ = "exchange_rates"
    __table_args__ = numbered(sa.UniqueConstraint("organization_id", "currency", "day"))

    day: Mapped[date]
    currency: Mapped[str] = mapped_column(sa.String(3))
    units_per_base: Mapped[Decimal] = mapped_column(Exact)
    source: Mapped[str] = mapped_column(sa.String(255))
    created_at: Mapped[datetime] = created()
