"""Find the rows that are joined to a line without reading those that are only suggested to be it.

A line that comes again and again has as many suggestions, and each comparison with it read all of them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0081"
down_revision = "0080"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index(
        "ix_line_joins_kept_joined",
        "line_joins",
        ["organization_id", "kept_id"],
        sqlite_where=sa.text("status = 'JOINED'"),
        postgresql_where=sa.text("status = 'JOINED'"),
    )


def downgrade() -> None:
    op.drop_index("ix_line_joins_kept_joined", "line_joins")
