"""Tax codes, installed packs, tax rates, filed returns with their stamps, and what parts of items have of taxes."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Exact, Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import DOCUMENT_SIDES
from webapp.ledger.journal.boxes import BoxShare
from webapp.ledger.tax.forms import FREQUENCIES
from webapp.ledger.tax.parts import PART_KINDS
from webapp.ledger.tax.rules import SHARE_KINDS, TAX_BASES, TaxRule, TaxShare
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    created,
    foreign_key,
    numbered,
    one_of,
    partial_index,
    updated,
)


class TaxCode(Numbered, Base):
    """A tax code: its rate in per cent, and what its base and tax post and add to boxes; never deleted.

    `amount_is` TAX makes the whole amount tax. `shares` are `{of, factor, role, boxes: [{form, box, factor}]}` each.
    """

    __tablename__ = "tax_codes"
    __table_args__ = numbered(
        one_of("side", *DOCUMENT_SIDES),
        one_of("basis", *TAX_BASES),
        one_of("amount_is", *SHARE_KINDS),
        sa.UniqueConstraint("organization_id", "code"),
    )

    code: Mapped[str] = mapped_column(sa.String(20))
    name: Mapped[str] = mapped_column(sa.String(255))
    side: Mapped[str] = mapped_column(sa.String(8))
    rate: Mapped[Decimal] = mapped_column(Exact)
    basis: Mapped[str] = mapped_column(sa.String(8))
    amount_is: Mapped[str] = mapped_column(sa.String(4))
    is_self_assessed: Mapped[bool]
    has_relief: Mapped[bool]
    pack: Mapped[str | None] = mapped_column(sa.String(32))
    valid_from: Mapped[date | None]
    valid_to: Mapped[date | None]
    is_archived: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    shares: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    @property
    def rule(self) -> TaxRule:
        """What the code computes and posts."""
        return TaxRule(
            side=self.side,
            rate=self.rate,
            shares=tuple(
                TaxShare(
                    each["of"],
                    Decimal(each["factor"]),
                    each["role"],
                    tuple(BoxShare(box["form"], box["box"], Decimal(box["factor"])) for box in each["boxes"]),
                )
                for each in self.shares
            ),
            basis=self.basis,
            is_all_tax=self.amount_is == "TAX",
            is_self_assessed=self.is_self_assessed,
        )


class TaxPack(Numbered, Base):
    """An installed pack: books have its boxes from `starts_on` on, in periods of its frequency.

    They are counted from there, or from `counted_from` where they were changed since.
    """

    __tablename__ = "tax_packs"
    __table_args__ = numbered(
        one_of("basis", *TAX_BASES),
        one_of("frequency", *FREQUENCIES),
        sa.UniqueConstraint("organization_id", "name"),
    )

    name: Mapped[str] = mapped_column(sa.String(32))
    version: Mapped[int]
    basis: Mapped[str] = mapped_column(sa.String(8))
    frequency: Mapped[str] = mapped_column(sa.String(16))
    starts_on: Mapped[date]
    counted_from: Mapped[date | None]
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()


class TaxRate(Numbered, Base):
    """A rate for taxes: units of a currency for one unit of base, of a day, or of a month to its last day."""

    __tablename__ = "tax_rates"
    __table_args__ = numbered(sa.UniqueConstraint("organization_id", "currency", "day", "last_day"))

    day: Mapped[date]
    last_day: Mapped[date]
    currency: Mapped[str] = mapped_column(sa.String(3))
    units_per_base: Mapped[Decimal] = mapped_column(Exact)
    source: Mapped[str] = mapped_column(sa.String(255))
    created_at: Mapped[datetime] = created()


class TaxReturn(Numbered, Base):
    """A filed return of the period from `starts_on` to `ends_on`; its only later change is that it is withdrawn.

    One that `is_notice` notifies late errors apart, before the return of its period. `last_number` is that of the
    newest entry when a return was filed: all of its days up to there is stamped, or out of time.
    `figures` are what it says, as the interface shows it. `journal_entry_id` is the entry that settled its taxes with
    the authority; none where there was nothing to settle.
    """

    __tablename__ = "tax_returns"
    __table_args__ = numbered(
        one_of("status", "FILED", "WITHDRAWN"),
        sa.CheckConstraint("(status = 'WITHDRAWN') = (withdrawn_at IS NOT NULL)", name="withdrawn_at"),
        foreign_key("journal_entry_id", "journal_entries"),
        partial_index(
            "uq_tax_returns_period",
            "organization_id",
            "form",
            "ends_on",
            unique=True,
            where="status = 'FILED' AND NOT is_notice",
        ),
        partial_index("ix_tax_returns_entry", "journal_entry_id", where="journal_entry_id IS NOT NULL"),
    )

    form: Mapped[str] = mapped_column(sa.String(32))
    pack_version: Mapped[int]
    starts_on: Mapped[date]
    ends_on: Mapped[date]
    status: Mapped[str] = mapped_column(sa.String(16))
    is_notice: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    figures: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    digest: Mapped[str] = mapped_column(sa.String(64))
    reference: Mapped[str | None] = mapped_column(sa.String(255))
    note: Mapped[str | None] = mapped_column(sa.Text)
    filed_at: Mapped[datetime] = mapped_column(Instant)
    filed_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    last_number: Mapped[int | None] = mapped_column(BigId)
    withdrawn_at: Mapped[datetime | None] = mapped_column(Instant)
    reason: Mapped[str | None] = mapped_column(sa.Text)


class TaxStamp(Numbered, Base):
    """In which return of a form a posting is; a posting has one standing stamp of a form at most.

    No key of the database leads to the posting, which has none that carries the organization; it is posted, and stays.
    """

    __tablename__ = "tax_stamps"
    __table_args__ = numbered(
        foreign_key("return_id", "tax_returns"),
        partial_index(
            "uq_tax_stamps_standing",
            "organization_id",
            "posting_id",
            "form",
            unique=True,
            where="ended_at IS NULL",
        ),
        sa.Index("ix_tax_stamps_return", "organization_id", "return_id"),
    )

    return_id: Mapped[int] = mapped_column(BigId)
    posting_id: Mapped[int] = mapped_column(BigId)
    form: Mapped[str] = mapped_column(sa.String(32))
    ended_at: Mapped[datetime | None] = mapped_column(Instant)


class TaxPart(Numbered, Base):
    """What one part of an item has of its base and tax, by code and tax point; never changed, only posted against.

    `journal_entry_id` is the entry that the item is of, `posted_by_id` the one that posted this, and `cause_id` the one
    that a return names for it. `is_own_day` is what the law gives a day of its own, so that it makes no return wrong.
    `account_id` bears what no account of taxes does. `size_minor` is how much of the item an act relieved, on its first
    row.
    """

    __tablename__ = "tax_parts"
    __table_args__ = numbered(
        one_of("kind", *PART_KINDS),
        foreign_key("journal_entry_id", "journal_entries"),
        foreign_key("settlement_id", "settlements"),
        foreign_key("tax_code_id", "tax_codes"),
        foreign_key("posted_by_id", "journal_entries"),
        foreign_key("cause_id", "journal_entries"),
        foreign_key("account_id", "accounts"),
        sa.Index("ix_tax_parts_entry", "organization_id", "journal_entry_id"),
        sa.Index("ix_tax_parts_posted_by", "organization_id", "posted_by_id"),
        sa.Index("ix_tax_parts_cause", "organization_id", "cause_id"),
    )

    journal_entry_id: Mapped[int] = mapped_column(BigId)
    settlement_id: Mapped[int | None] = mapped_column(BigId)
    kind: Mapped[str] = mapped_column(sa.String(16))
    tax_code_id: Mapped[int] = mapped_column(BigId)
    tax_point: Mapped[date]
    base_minor: Mapped[int] = mapped_column(MONEY)
    tax_minor: Mapped[int] = mapped_column(MONEY)
    posted_by_id: Mapped[int] = mapped_column(BigId)
    cause_id: Mapped[int] = mapped_column(BigId)
    is_own_day: Mapped[bool]
    account_id: Mapped[int | None] = mapped_column(BigId)
    size_minor: Mapped[int] = mapped_column(MONEY)
