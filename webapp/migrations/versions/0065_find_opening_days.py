"""Find the day on which the books of an account begin without reading all proofs of the organization."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0065"
down_revision = "0064"
branch_labels = None
depends_on = None

NAME, TABLE = "ix_reconciliations_opening_day", "reconciliations"


def upgrade() -> None:
    op.create_index(
        NAME,
        TABLE,
        ["organization_id", "feed_account_id", "opening_date"],
        sqlite_where=sa.text("keep_as_new = 1"),
        postgresql_where=sa.text("keep_as_new"),
    )


def downgrade() -> None:
    op.drop_index(NAME, TABLE)
