"""Transactions: the lines of a feed account, as the bank sent them."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.sessions import Base
from webapp.ledger import titles
from webapp.ledger.codes import TRANSACTION_STATUSES
from webapp.ledger.matching.lines import text_key
from webapp.ledger.money import Money
from webapp.models.accounts.feed_accounts import FeedAccount
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    created,
    foreign_key,
    numbered,
    one_of,
    refers_to,
    updated,
)
from webapp.models.journal.journal_entries import JournalEntry


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
        sa.Index(
            "ix_transactions_taken_back",
            "organization_id",
            "feed_account_id",
            sqlite_where=sa.text("status = 'REMOVED' AND journal_entry_id IS NOT NULL"),
            postgresql_where=sa.text("status = 'REMOVED' AND journal_entry_id IS NOT NULL"),
        ),
        # What a workspace counts behind its tabs; it holds all that the count asks for.
        sa.Index("ix_transactions_status", "feed_account_id", "status", "organization_id"),
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


@sa.event.listens_for(Transaction, "before_insert")
@sa.event.listens_for(Transaction, "before_update")
def _number_text(_mapper: object, _connection: object, line: Transaction) -> None:
    """Let the key follow the text, whoever changes that."""
    line.text_key = text_key(line.description or "", line.counterparty)
