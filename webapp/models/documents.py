"""Documents: the record of a receipt, an invoice or a bill that an entry may come from."""

from __future__ import annotations

from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.db import Base
from webapp.models.base import MONEY, Numbered, created, numbered, one_of


class Document(Numbered, Base):
    """A receipt, invoice, bill or credit note, by what it says of itself."""

    __tablename__ = "documents"
    __table_args__ = numbered(one_of("document_type", "RECEIPT", "INVOICE", "BILL", "CREDIT_NOTE", "OTHER"))

    document_type: Mapped[str] = mapped_column(sa.String(16))
    file_name: Mapped[str | None] = mapped_column(sa.String(255))
    number: Mapped[str | None] = mapped_column(sa.String(255))
    sender: Mapped[str | None] = mapped_column(sa.String(255))
    issued_on: Mapped[date | None]
    total_minor: Mapped[int | None] = mapped_column(MONEY)
    currency: Mapped[str | None] = mapped_column(sa.String(3))
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = created()

    @property
    def label(self) -> str:
        """What a person would call the document."""
        return " ".join(part for part in (self.sender, self.number) if part) or self.file_name or "Document"
