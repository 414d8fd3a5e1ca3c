"""Find documents by their total, to offer them to lines and entries of that amount."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None


def upgrade() -> None:
    has_total = sa.text("total_minor IS NOT NULL")
    op.create_index(
        "ix_documents_total",
        "documents",
        ["organization_id", "total_minor"],
        sqlite_where=has_total,
        postgresql_where=has_total,
    )


def downgrade() -> None:
    op.drop_index("ix_documents_total", "documents")
