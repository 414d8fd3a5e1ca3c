"""Find the postings of a bank's account that come from no line by their amount, and read no other entry of their day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0078"
down_revision = "0077"
branch_labels = None
depends_on = None


def upgrade() -> None:
    index("account_id", "amount_minor", "journal_entry_id")


def downgrade() -> None:
    index("account_id", "journal_entry_id")


def index(*columns: str) -> None:
    op.drop_index("ix_postings_outside", "postings")
    is_outside = sa.text("transaction_id IS NULL")
    op.create_index(
        "ix_postings_outside",
        "postings",
        list(columns),
        sqlite_where=is_outside,
        postgresql_where=is_outside,
    )
