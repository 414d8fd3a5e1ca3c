"""The statement itself, as the bank sent it, beside the reconciliation that it is of."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.models.base import BigId, Numbered, foreign_key, numbered


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
