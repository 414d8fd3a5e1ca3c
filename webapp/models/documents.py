"""Documents: receipts, invoices and bills with their files, and the lines and entries that they belong to."""

from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.ledger.codes import DOCUMENT_SIDES, DOCUMENT_TYPES
from webapp.ledger.money import Money
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


def document_label(sender: str | None, number: str | None, file_name: str | None) -> str:
    """Say what a person would call a document.

    >>> document_label("Lumen AG", "17", "scan.pdf"), document_label(None, None, None)
    ('Lumen AG 17', 'Document')
    """
    return " ".join(part for part in (sender, number) if part) or file_name or "Document"


class Document(Numbered, Base):
    """A receipt, invoice, bill or credit note: its data, its file, and what rules or people set in it.

    `currency` is what the amounts are in; `original_currency` what the document itself has, before any rule.
    `set_by_hand` are the kinds of effects whose fields somebody set by hand. `sha256` names its file among the stored
    ones, and `file_part` which of the invoices in that it is, from 1.

    `side` says of a credit note whether it is of a sale or a purchase; of other types that is known.

    `received_on` is the day on which it came, where that is not the day on which it was filed here.

    What an e-invoice states is beside them: `due_minor` is what is still to be paid, `invoice` all of it as JSON, with
    its figures as written and the findings on them.
    """

    __tablename__ = "documents"
    __table_args__ = numbered(
        one_of("document_type", *DOCUMENT_TYPES),
        one_of("side", *DOCUMENT_SIDES),
        sa.CheckConstraint(
            "currency IS NOT NULL OR (net_minor IS NULL AND tax_minor IS NULL AND total_minor IS NULL)",
            name="amounts_currency",
        ),
        sa.CheckConstraint(
            "currency IS NOT NULL OR (prepaid_minor IS NULL AND due_minor IS NULL)", name="due_currency"
        ),
        foreign_key("account_id", "accounts"),
        foreign_key("org_merchant_id", "merchants"),
        foreign_key("project_id", "projects"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            ondelete="RESTRICT",
        ),
        partial_index(
            "uq_documents_file",
            "organization_id",
            "sha256",
            "file_part",
            unique=True,
            where="sha256 IS NOT NULL",
        ),
        sa.Index("ix_documents_issued", "organization_id", "issued_on", "id"),
        partial_index(
            "ix_documents_total",
            "organization_id",
            "total_minor",
            "issued_on",
            "due_on",
            where="total_minor IS NOT NULL",
        ),
        partial_index(
            "ix_documents_due",
            "organization_id",
            "due_minor",
            "issued_on",
            "due_on",
            where="due_minor IS NOT NULL",
        ),
        partial_index("ix_documents_number", "organization_id", "number", where="number IS NOT NULL"),
    )

    document_type: Mapped[str] = mapped_column(sa.String(16))
    side: Mapped[str | None] = mapped_column(sa.String(16))
    file_name: Mapped[str | None] = mapped_column(sa.String(255))
    number: Mapped[str | None] = mapped_column(sa.String(255))
    sender: Mapped[str | None] = mapped_column(sa.String(255))
    issued_on: Mapped[date | None]
    net_minor: Mapped[int | None] = mapped_column(MONEY)
    tax_minor: Mapped[int | None] = mapped_column(MONEY)
    total_minor: Mapped[int | None] = mapped_column(MONEY)
    currency: Mapped[str | None] = mapped_column(sa.String(3))
    original_currency: Mapped[str | None] = mapped_column(sa.String(3))
    due_on: Mapped[date | None]
    received_on: Mapped[date | None]
    prepaid_minor: Mapped[int | None] = mapped_column(MONEY)
    due_minor: Mapped[int | None] = mapped_column(MONEY)
    buyer: Mapped[str | None] = mapped_column(sa.String(255))
    seller_vat_id: Mapped[str | None] = mapped_column(sa.String(64))
    iban: Mapped[str | None] = mapped_column(sa.String(64))
    remittance: Mapped[str | None] = mapped_column(sa.String(255))
    invoice: Mapped[dict[str, Any] | None] = mapped_column(sa.JSON(none_as_null=True))
    text: Mapped[str | None] = mapped_column(sa.Text)
    account_id: Mapped[int | None] = mapped_column(BigId)
    org_merchant_id: Mapped[int | None] = mapped_column(BigId)
    project_id: Mapped[int | None] = mapped_column(BigId)
    set_by_hand: Mapped[list[str]] = mapped_column(sa.JSON, default=list)
    file_type: Mapped[str | None] = mapped_column(sa.String(64))
    file_size: Mapped[int | None]
    sha256: Mapped[str | None] = mapped_column(sa.String(64))
    file_part: Mapped[int] = mapped_column(default=1, server_default="1")
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()

    @property
    def label(self) -> str:
        """What a person would call the document."""
        return document_label(self.sender, self.number, self.file_name)

    @property
    def net(self) -> Money | None:
        """The amount before tax."""
        return self._money(self.net_minor)

    @property
    def tax(self) -> Money | None:
        """The tax in the total."""
        return self._money(self.tax_minor)

    @property
    def total(self) -> Money | None:
        """What is to be paid, or was."""
        return self._money(self.total_minor)

    @property
    def prepaid(self) -> Money | None:
        """What was paid of the total before the document was issued."""
        return self._money(self.prepaid_minor)

    @property
    def due(self) -> Money | None:
        """What an e-invoice states as still to be paid."""
        return self._money(self.due_minor)

    def _money(self, minor: int | None) -> Money | None:
        return None if minor is None or self.currency is None else Money(minor, self.currency)


class DocumentFile(Numbered, Base):
    """A further file of a document, behind the one that it was filed with: the same invoice in other bytes."""

    __tablename__ = "document_files"
    __table_args__ = numbered(
        foreign_key("document_id", "documents"),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            ondelete="RESTRICT",
        ),
        sa.UniqueConstraint("organization_id", "sha256"),
        sa.Index("ix_document_files_document", "organization_id", "document_id"),
    )

    document_id: Mapped[int] = mapped_column(BigId)
    sha256: Mapped[str] = mapped_column(sa.String(64))
    file_name: Mapped[str] = mapped_column(sa.String(255))
    file_type: Mapped[str] = mapped_column(sa.String(64))
    file_size: Mapped[int]
    created_at: Mapped[datetime] = created()


def _with_line_or_entry(table: str) -> tuple[Any, ...]:
    """Table arguments of a pair of a document with a bank line or an entry: once each, and gone with either."""
    return numbered(
        sa.CheckConstraint("(transaction_id IS NULL) <> (journal_entry_id IS NULL)", name="one_of_two"),
        foreign_key("document_id", "documents"),
        *(
            sa.ForeignKeyConstraint(
                ["organization_id", f"{name}_id"],
                [f"{others}.organization_id", f"{others}.id"],
                ondelete="CASCADE",
            )
            for name, others in (("transaction", "transactions"), ("journal_entry", "journal_entries"))
        ),
        *(
            partial_index(
                f"uq_{table}_{name}",
                "organization_id",
                f"{name}_id",
                "document_id",
                unique=True,
                where=f"{name}_id IS NOT NULL",
            )
            for name in ("transaction", "journal_entry")
        ),
        sa.Index(f"ix_{table}_document", "document_id"),
    )


class DocumentRelation(Numbered, Base):
    """A document that belongs to a bank line or to an entry; it goes with either, and changes neither.

    `is_automatic` where no person attached it, but its evidence.
    """

    __tablename__ = "document_relations"
    __table_args__ = _with_line_or_entry(__tablename__)

    document_id: Mapped[int] = mapped_column(BigId)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    is_automatic: Mapped[bool] = mapped_column(default=False, server_default=sa.false())
    created_at: Mapped[datetime] = created()


class DeclinedRelation(Numbered, Base):
    """A document that somebody declined for a bank line or an entry: it is not offered there again."""

    __tablename__ = "declined_relations"
    __table_args__ = _with_line_or_entry(__tablename__)

    document_id: Mapped[int] = mapped_column(BigId)
    transaction_id: Mapped[int | None] = mapped_column(BigId)
    journal_entry_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
