"""Find the reversal that names an entry without reading all entries."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COLUMNS = ("voids", "voided_by")


def upgrade() -> None:
    for name in COLUMNS:
        only = sa.text(f"{name}_id IS NOT NULL")
        op.create_index(
            f"ix_journal_entries_{name}",
            "journal_entries",
            ["organization_id", f"{name}_id"],
            sqlite_where=only,
            postgresql_where=only,
        )


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_index(f"ix_journal_entries_{name}", "journal_entries")
