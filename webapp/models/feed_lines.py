"""What feeds sent: the last event of each id, pushes, the bank's changes of lines, and balances; secrets for calls."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.codes import FEED_EVENTS
from webapp.ledger.money import Money
from webapp.models.base import (
    MONEY,
    BigId,
    Numbered,
    Organized,
    created,
    foreign_key,
    numbered,
    one_of,
    partial_index,
)


class FeedLine(Organized, Base):
    """A line under the provider's own id, which alone is its identity on a feed account.

    `transaction_id` is its own row, joined to another line or not; null for an id that was removed before it
    was ever added. `event` is the last event: ADDED, then MODIFIED, then REMOVED, until the bank sends it again.
    `digest` is of the facts as they were sent last, `pending_id` the pending line that it names as its own.
    """

    __tablename__ = "feed_lines"
    __table_args__ = (
        one_of("event", *FEED_EVENTS),
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("transaction_id", "transactions"),
        sa.Index("ix_feed_lines_transaction", "organization_id", "transaction_id"),
        partial_index(
            "ix_feed_lines_pending",
            "organization_id",
            "feed_account_id",
            "pending_id",
            where="pending_id IS NOT NULL",
        ),
        {"sqlite_with_rowid": False},
    )

    organization_id: Mapped[str] = mapped_column(sa.ForeignKey("organizations.id"), primary_key=True)
    feed_account_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    provider_transaction_id: Mapped[str] = mapped_column(sa.String(255), primary_key=True)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    event: Mapped[str] = mapped_column(sa.String(8))
    is_pending: Mapped[bool]
    digest: Mapped[bytes | None] = mapped_column(sa.LargeBinary(16))
    pending_id: Mapped[str | None] = mapped_column(sa.String(255))


class FeedPush(Numbered, Base):
    """A push that was taken, by its batchId: the digest of its content, and its answer, deflated, for a repetition.

    `file_id` is its body, among the stored files.
    """

    __tablename__ = "feed_pushes"
    __table_args__ = numbered(
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("file_id", "stored_files"),
        sa.UniqueConstraint("organization_id", "feed_account_id", "batch_id"),
        sa.Index("ix_feed_pushes_file", "organization_id", "file_id"),
        sa.Index("ix_feed_pushes_received", "organization_id", "feed_account_id", "received_at"),
    )

    feed_account_id: Mapped[int] = mapped_column(BigId)
    batch_id: Mapped[str] = mapped_column(sa.String(255))
    digest: Mapped[str] = mapped_column(sa.String(64))
    answer: Mapped[bytes] = mapped_column(sa.LargeBinary)
    received_at: Mapped[datetime] = mapped_column(Instant)
    file_id: Mapped[int | None] = mapped_column(BigId)


class LineChange(Numbered, Base):
    """A change of a booked line by the bank: the fields before and after, under their names in JSON."""

    __tablename__ = "line_changes"
    __table_args__ = numbered(
        foreign_key("transaction_id", "transactions"),
        sa.Index("ix_line_changes_transaction", "organization_id", "transaction_id"),
    )

    transaction_id: Mapped[int] = mapped_column(BigId)
    before: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    after: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    created_at: Mapped[datetime] = created()


class ProviderBalance(Numbered, Base):
    """One stated balance; of several for one day the last by `stated_at` counts, else the last received."""

    __tablename__ = "provider_balances"
    __table_args__ = numbered(
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("import_id", "imports"),
        sa.Index("ix_provider_balances_by_day", "organization_id", "feed_account_id", "day"),
        sa.Index("ix_provider_balances_import", "organization_id", "import_id"),
    )

    feed_account_id: Mapped[int] = mapped_column(BigId)
    day: Mapped[date]
    amount_minor: Mapped[int] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(sa.String(3))
    stated_at: Mapped[datetime | None] = mapped_column(Instant)
    received_at: Mapped[datetime] = mapped_column(Instant)
    import_id: Mapped[int | None] = mapped_column(BigId)

    @property
    def amount(self) -> Money:
        """The balance, from the account holder's view."""
        return Money(self.amount_minor, self.currency)


class Secret(Base):
    """A secret of the vault, encrypted: it opens with the key named `key_id`, as the row of its owner and purpose only.

    The owner is a row with a random uid, of an organization or a person, and is protected as such.
    """

    __tablename__ = "secrets"
    __table_args__ = (sa.UniqueConstraint("owner_kind", "owner_uid", "purpose"),)

    uid: Mapped[str] = mapped_column(sa.String(32), primary_key=True)
    owner_kind: Mapped[str] = mapped_column(sa.String(20))
    owner_uid: Mapped[str] = mapped_column(sa.String(32))
    purpose: Mapped[str] = mapped_column(sa.String(20))
    key_id: Mapped[str] = mapped_column(sa.String(16))
    nonce: Mapped[bytes] = mapped_column(sa.LargeBinary)
    ciphertext: Mapped[bytes] = mapped_column(sa.LargeBinary)
    sealed_at: Mapped[datetime] = mapped_column(Instant)
