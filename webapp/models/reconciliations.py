"""Reconciliations with their items and the bank's statement, breaks of proofs, and the proofs that a write touched."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column, relationship

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.ledger.closing.balances import ATTESTED, EXPLANATIONS
from webapp.ledger.codes import RECONCILIATION_STATUSES, REPAIRS
from webapp.ledger.money import Money
from webapp.models.accounts import FeedAccount
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
    refers_to,
)


class Reconciliation(Numbered, Base):
    """A DRAFT holds inputs only; COMPLETED is a proof; REOPENED a proof that was taken back, kept for ever.

    `frozen` is the document that the digest is of (behaviour.md 3). `keep_as_new` starts the books at
    `opening_date` with `opening_balance_minor`; otherwise both follow from the anchor. `left_open` names the
    items dated by the statement that were there at completion and not cleared: any other one arrived later.
    """

    __tablename__ = "reconciliations"
    __table_args__ = numbered(
        one_of("status", *RECONCILIATION_STATUSES),
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("previous_id", "reconciliations"),
        foreign_key("reopened_from_id", "reconciliations"),
        foreign_key("opening_entry_id", "journal_entries"),
        partial_index(
            "uq_reconciliations_draft",
            "organization_id",
            "feed_account_id",
            unique=True,
            where="status = 'DRAFT'",
        ),
        partial_index(
            "uq_reconciliations_statement",
            "organization_id",
            "feed_account_id",
            "statement_date",
            unique=True,
            where="status = 'COMPLETED'",
        ),
        partial_index(
            "ix_reconciliations_opening_entry", "opening_entry_id", where="opening_entry_id IS NOT NULL"
        ),
        # The day on which the books of an account begin, which is asked for beside lines and entries.
        partial_index(
            "ix_reconciliations_opening_day",
            "organization_id",
            "feed_account_id",
            "opening_date",
            where="keep_as_new",
        ),
    )

    feed_account_id: Mapped[int] = mapped_column(BigId)
    status: Mapped[str] = mapped_column(sa.String(16), default="DRAFT")
    statement_date: Mapped[date]
    statement_balance_minor: Mapped[int] = mapped_column(MONEY)
    currency: Mapped[str] = mapped_column(sa.String(3))
    keep_as_new: Mapped[bool] = mapped_column(default=False)
    opening_balance_minor: Mapped[int | None] = mapped_column(MONEY)
    opening_date: Mapped[date | None]
    version: Mapped[int] = mapped_column(default=1)
    opened_at: Mapped[datetime] = mapped_column(Instant)
    opened_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    reopened_from_id: Mapped[int | None] = mapped_column(BigId)
    previous_id: Mapped[int | None] = mapped_column(BigId)
    opening_entry_id: Mapped[int | None] = mapped_column(BigId)
    frozen: Mapped[str | None] = mapped_column(sa.Text)
    digest: Mapped[str | None] = mapped_column(sa.String(64))
    left_open: Mapped[dict[str, list[int]] | None] = mapped_column(sa.JSON(none_as_null=True))
    completed_at: Mapped[datetime | None] = mapped_column(Instant)
    completed_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    reopened_at: Mapped[datetime | None] = mapped_column(Instant)
    reopened_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    reopen_reason: Mapped[str | None] = mapped_column(sa.Text)

    feed_account: Mapped[FeedAccount] = relationship(
        foreign_keys=feed_account_id,
        primaryjoin=lambda: refers_to(Reconciliation.feed_account_id, FeedAccount),
    )

    @property
    def statement_balance(self) -> Money:
        """The closing balance of the statement, from the account holder's view."""
        return Money(self.statement_balance_minor, self.currency)


class ReconciliationItem(Numbered, Base):
    """One cleared item: a bank line, or an entry that comes from no line of the feed.

    `is_standing` is false once its proof was reopened; while true, no other statement can clear the same item.
    `frozen_on` and `frozen_minor` are its day and amount at completion, none while the draft is open.
    """

    __tablename__ = "reconciliation_items"
    __table_args__ = numbered(
        foreign_key("reconciliation_id", "reconciliations"),
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("transaction_id", "transactions"),
        foreign_key("journal_entry_id", "journal_entries"),
        sa.CheckConstraint("(transaction_id IS NULL) <> (journal_entry_id IS NULL)", name="line_or_entry"),
        partial_index(
            "uq_reconciliation_items_transaction",
            "organization_id",
            "transaction_id",
            unique=True,
            where="is_standing",
        ),
        partial_index(
            "uq_reconciliation_items_entry",
            "organization_id",
            "feed_account_id",
            "journal_entry_id",
            unique=True,
            where="is_standing",
        ),
        sa.Index("ix_reconciliation_items_of", "organization_id", "reconciliation_id"),
        # Whoever deletes a line or a draft makes the database ask whether an item names it, standing or not: without
        # these, by reading all items of the organization.
        *(
            partial_index(f"ix_reconciliation_items_{name}", column, where=f"{column} IS NOT NULL")
            for name, column in (("line", "transaction_id"), ("entry", "journal_entry_id"))
        ),
    )

    reconciliation_id: Mapped[int] = mapped_column(BigId)
    feed_account_id: Mapped[int] = mapped_column(BigId)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    is_standing: Mapped[bool] = mapped_column(default=True)
    frozen_on: Mapped[date | None]
    frozen_minor: Mapped[int | None] = mapped_column(MONEY)


class ProofBreak(Numbered, Base):
    """The time for which a proof did not hold: what broke it, and what ended that.

    `journal_entry_id` and `transaction_id` name what may be gone by now, so they are no keys. `cleared_now_minor`
    and `off_by_minor` are what its cleared items last came to, and by how much the statement was off from them.
    """

    __tablename__ = "proof_breaks"
    __table_args__ = numbered(
        one_of("repair", *REPAIRS),
        foreign_key("reconciliation_id", "reconciliations"),
        sa.CheckConstraint("(repaired_at IS NULL) = (repair IS NULL)", name="repaired_by_repair"),
        sa.Index("ix_proof_breaks_of", "organization_id", "reconciliation_id"),
        partial_index(
            "uq_proof_breaks_unrepaired",
            "organization_id",
            "reconciliation_id",
            unique=True,
            where="repaired_at IS NULL",
        ),
    )

    reconciliation_id: Mapped[int] = mapped_column(BigId)
    broken_at: Mapped[datetime] = mapped_column(Instant)
    broken_by: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    field: Mapped[str] = mapped_column(sa.String(16))
    before: Mapped[str | None] = mapped_column(sa.String(32))
    after: Mapped[str | None] = mapped_column(sa.String(32))
    cleared_now_minor: Mapped[int] = mapped_column(MONEY)
    off_by_minor: Mapped[int] = mapped_column(MONEY)
    repaired_at: Mapped[datetime | None] = mapped_column(Instant)
    repaired_by: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    repair_action_request_id: Mapped[str | None] = mapped_column(sa.String(40))
    repair: Mapped[str | None] = mapped_column(sa.String(16))


class TouchedProof(OrganizationKeyed, Base):
    """A standing proof that a write touched and that was not checked since; the database records it by triggers.

    The act that wrote checks it before it ends. A row that remains comes from a write past the application.
    `by_late_lines` is true where nothing touched it but booked lines that no statement has: they break it, and change
    none of its figures.
    """

    __tablename__ = "touched_proofs"
    __table_args__ = (
        sa.ForeignKeyConstraint(
            ["organization_id", "reconciliation_id"],
            ["reconciliations.organization_id", "reconciliations.id"],
            ondelete="CASCADE",
        ),
    )

    reconciliation_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    by_late_lines: Mapped[bool] = mapped_column(server_default=sa.false())


class StatementDocument(Numbered, Base):
    """The document that is the statement of a draft or a proof; it goes with a draft that is abandoned."""

    __tablename__ = "statement_documents"
    __table_args__ = numbered(
        sa.ForeignKeyConstraint(
            ["organization_id", "reconciliation_id"],
            ["reconciliations.organization_id", "reconciliations.id"],
            ondelete="CASCADE",
        ),
        foreign_key("document_id", "documents"),
        sa.UniqueConstraint("organization_id", "reconciliation_id"),
        sa.Index("ix_statement_documents_document", "document_id"),
        sa.Index("ix_statement_documents_reconciliation", "reconciliation_id"),
    )

    reconciliation_id: Mapped[int] = mapped_column(BigId)
    document_id: Mapped[int] = mapped_column(BigId)


class BalanceNote(Numbered, Base):
    """A figure that somebody attests of an account at the close of a day, or an explanation of a difference.

    Amounts are in the base currency. Such a note never changes; it is withdrawn.
    """

    __tablename__ = "balance_notes"
    __table_args__ = numbered(
        one_of("kind", ATTESTED, *EXPLANATIONS),
        sa.CheckConstraint("(kind = 'ATTESTED') = (reverses_by IS NULL)", name="reversing"),
        foreign_key("account_id", "accounts"),
        foreign_key("document_id", "documents"),
        sa.Index("ix_balance_notes_day", "organization_id", "as_of"),
        sa.Index("ix_balance_notes_account", "organization_id", "account_id"),
        partial_index("ix_balance_notes_document", "document_id", where="document_id IS NOT NULL"),
    )

    account_id: Mapped[int] = mapped_column(BigId)
    as_of: Mapped[date]
    kind: Mapped[str] = mapped_column(sa.String(16))
    amount_minor: Mapped[int] = mapped_column(MONEY)
    text: Mapped[str] = mapped_column(sa.Text)
    owner: Mapped[str | None] = mapped_column(sa.String(255))
    reverses_by: Mapped[date | None]
    document_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
    withdrawn_at: Mapped[datetime | None] = mapped_column(Instant)
