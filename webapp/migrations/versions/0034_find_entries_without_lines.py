"""Find the postings of a bank's account that come from no line without reading those that do."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    is_outside = sa.text("transaction_id IS NULL")
    op.create_index(
        "ix_postings_outside",
        "postings",
        ["account_id", "journal_entry_id"],
        sqlite_where=is_outside,
        postgresql_where=is_outside,
    )


def downgrade() -> None:
    op.drop_index("ix_postings_outside", "postings")
