"""Find the entries that came from a document without reading the journal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    is_named = sa.text("document_id IS NOT NULL")
    op.create_index(
        "ix_journal_entries_document",
        "journal_entries",
        ["organization_id", "document_id"],
        sqlite_where=is_named,
        postgresql_where=is_named,
    )


def downgrade() -> None:
    op.drop_index("ix_journal_entries_document", "journal_entries")
