"""Transactions, the lines of a feed account as the bank sent them, with their transfer pairs and joins."""

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger import titles
from webapp.ledger.codes import (
    JOIN_STATUSES,
    JOIN_TIERS,
    PAIR_DIFFERENCES,
    PAIR_STATUSES,
    TRANSACTION_STATUSES,
)
from webapp.ledger.matching.lines import text_key
from webapp.ledger.money import Money
from webapp.models.accounts import FeedAccount
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
    updated,
)
from webapp.models.journal_entries import JournalEntry

STANDING = sa.text("status = 'STANDING'")


def charges_of(details: Mapping[str, str], currency: str) -> Money | None:
    """Give the bank's charges that the details of a line state."""
    stated = details.get("charges")
    return (Money.rounded(Decimal(stated), currency) if stated else None) or None


class Transaction(Numbered, Base):
    """One bank line; the bank's data in it is never edited by us.

    `line_key` and `occurrence` are its identity among the lines of files (ledger/matching/lines.py); `text_key` finds
    lines of equal texts, and is written with each text by itself. An index that
    begins with an id of all organizations does without the organization's own: there is a bank line for each of its
    rows.
    """

    __tablename__ = "transactions"
    __table_args__ = numbered(
        one_of("status", *TRANSACTION_STATUSES),
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("journal_entry_id", "journal_entries"),
        foreign_key("import_id", "imports"),
        foreign_key("removed_by_import_id", "imports"),
        sa.UniqueConstraint("feed_account_id", "line_key", "occurrence"),
        sa.Index("ix_transactions_by_day", "feed_account_id", "booked_on", "id"),
        sa.Index("ix_transactions_newest", "organization_id", "booked_on", "id"),
        # What may be one line: by day and amount, and among these by text.
        sa.Index("ix_transactions_alike", "feed_account_id", "booked_on", "amount_minor", "text_key", "id"),
        sa.Index("ix_transactions_entry", "journal_entry_id"),
        sa.Index("ix_transactions_import", "import_id"),
        partial_index(
            "ix_transactions_taken_back",
            "organization_id",
            "feed_account_id",
            where="status = 'REMOVED' AND journal_entry_id IS NOT NULL",
        ),
        # What a workspace counts behind its tabs, and what is booked around a day in the size of an amount.
        sa.Index(
            "ix_transactions_status",
            "feed_account_id",
            "status",
            "organization_id",
            "booked_on",
            "amount_minor",
        ),
    )

    feed_account_id: Mapped[int] = mapped_column(BigId)
    provider_transaction_id: Mapped[str | None] = mapped_column(sa.String(1000))
    status: Mapped[str] = mapped_column(sa.String(16))
    booked_on: Mapped[date]
    value_on: Mapped[date | None]
    amount_minor: Mapped[int] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(sa.String(3))
    description: Mapped[str] = mapped_column(sa.Text, default="")
    counterparty: Mapped[str | None] = mapped_column(sa.Text)
    reference: Mapped[str | None] = mapped_column(sa.Text)
    iban: Mapped[str | None] = mapped_column(sa.String(64))
    line_key: Mapped[str | None] = mapped_column(sa.String(32))
    occurrence: Mapped[int] = mapped_column(default=1)
    text_key: Mapped[int | None]
    details: Mapped[dict[str, str] | None] = mapped_column(sa.JSON(none_as_null=True))
    import_id: Mapped[int | None] = mapped_column(BigId)
    removed_by_import_id: Mapped[int | None] = mapped_column(BigId)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    feed_account: Mapped[FeedAccount] = relationship(
        foreign_keys=feed_account_id, primaryjoin=lambda: refers_to(Transaction.feed_account_id, FeedAccount)
    )
    journal_entry: Mapped[JournalEntry | None] = relationship(
        foreign_keys=journal_entry_id,
        primaryjoin=lambda: refers_to(Transaction.journal_entry_id, JournalEntry),
        post_update=False,
    )

    @property
    def label(self) -> str:
        """A name of the line for people: its counterparty, or else the bank's text, with amount and day."""
        return titles.of_line(self.counterparty or self.description, self.amount, self.booked_on)

    @property
    def amount(self) -> Money:
        """The line's amount, from the account holder's view."""
        return Money(self.amount_minor, self.currency)

    @property
    def charges(self) -> Money | None:
        """The bank's charges within the amount, without a sign: without them more came in, or less went out."""
        return charges_of(self.details or {}, self.currency)


@sa.event.listens_for(Transaction, "before_insert")
@sa.event.listens_for(Transaction, "before_update")
def _number_text(_mapper: object, _connection: object, line: Transaction) -> None:
    """Let the key follow every change of the text."""
    line.text_key = text_key(line.description or "", line.counterparty)


class TransferPair(Numbered, Base):
    """One line's side of a pair; each pair is two rows, so that one unique index keeps a line in one pair at most.

    UNDONE and DISMISSED pairs stay, and are not proposed again. `counters` are the legs that the line's entry had
    opposite the bank's before it was paired. `difference_entry_id` is the posted entry that realised what the pair
    left over; `is_settled` while all that is posted of both sides and of it comes to nil on "Transfers".
    `part_minor` is the part of a split line that is the transfer, none where all of it is; `difference` is what
    somebody called the rest.
    """

    __tablename__ = "transfer_pairs"
    __table_args__ = numbered(
        one_of("status", *PAIR_STATUSES),
        one_of("difference", *PAIR_DIFFERENCES),
        foreign_key("transaction_id", "transactions"),
        foreign_key("other_id", "transactions"),
        foreign_key("difference_entry_id", "journal_entries"),
        sa.CheckConstraint("transaction_id <> other_id", name="two_lines"),
        sa.UniqueConstraint("organization_id", "transaction_id", "other_id"),
        partial_index(
            "uq_transfer_pairs_standing",
            "organization_id",
            "transaction_id",
            unique=True,
            where="status = 'STANDING'",
        ),
        sa.Index("ix_transfer_pairs_other", "organization_id", "other_id"),
        partial_index(
            "ix_transfer_pairs_difference",
            "organization_id",
            "difference_entry_id",
            where="difference_entry_id IS NOT NULL",
        ),
    )

    transaction_id: Mapped[int] = mapped_column(BigId)
    other_id: Mapped[int] = mapped_column(BigId)
    status: Mapped[str] = mapped_column(sa.String(16))
    counters: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON)
    part_minor: Mapped[int | None] = mapped_column(MONEY)
    difference: Mapped[str | None] = mapped_column(sa.String(8))
    difference_entry_id: Mapped[int | None] = mapped_column(BigId)
    is_settled: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime] = created()
    ended_at: Mapped[datetime | None] = mapped_column(Instant)


class LineJoin(Numbered, Base):
    """Two rows, and whether they are one line: `kept_id` stays in the books, `joined_id` is only another report of it.

    SUGGESTED waits for a person. REFUSED was undone or settled as two lines, and is never joined by itself again.
    """

    __tablename__ = "line_joins"
    __table_args__ = numbered(
        one_of("tier", *JOIN_TIERS),
        one_of("status", *JOIN_STATUSES),
        foreign_key("kept_id", "transactions"),
        foreign_key("joined_id", "transactions"),
        sa.UniqueConstraint("organization_id", "kept_id", "joined_id"),
        sa.Index("ix_line_joins_joined", "organization_id", "joined_id"),
        # A line that comes again and again has very many suggestions; what is joined to it is found without them.
        partial_index("ix_line_joins_kept_joined", "organization_id", "kept_id", where="status = 'JOINED'"),
        partial_index(
            "uq_line_joins_joined_once",
            "organization_id",
            "joined_id",
            unique=True,
            where="status = 'JOINED'",
        ),
    )

    kept_id: Mapped[int] = mapped_column(BigId)
    joined_id: Mapped[int] = mapped_column(BigId)
    tier: Mapped[str] = mapped_column(sa.String(8))
    status: Mapped[str] = mapped_column(sa.String(9))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    evidence: Mapped[dict[str, Any]] = mapped_column(sa.JSON, default=dict)
    decided_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()
    undone_at: Mapped[datetime | None] = mapped_column(Instant)
