"""Find the few lines that a bank took back while they were posted without reading all lines."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

NAME = "ix_transactions_taken_back"
ONLY = sa.text("status = 'REMOVED' AND journal_entry_id IS NOT NULL")


def upgrade() -> None:
    op.create_index(
        NAME,
        "transactions",
        ["organization_id", "feed_account_id"],
        sqlite_where=ONLY,
        postgresql_where=ONLY,
    )


def downgrade() -> None:
    op.drop_index(NAME, "transactions")
