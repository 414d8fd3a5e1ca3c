"""Find the lines of an account by their state, so that a workspace counts them without reading each."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

PENDING = sa.text("status = 'PENDING'")


def upgrade() -> None:
    op.create_index(
        "ix_transactions_status", "transactions", ["feed_account_id", "status", "organization_id"]
    )
    op.drop_index("ix_transactions_pending", table_name="transactions")


def downgrade() -> None:
    op.create_index(
        "ix_transactions_pending",
        "transactions",
        ["organization_id", "feed_account_id"],
        sqlite_where=PENDING,
        postgresql_where=PENDING,
    )
    op.drop_index("ix_transactions_status", table_name="transactions")
