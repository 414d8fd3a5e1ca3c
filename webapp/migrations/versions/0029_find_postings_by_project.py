"""Find the postings of a project or a merchant without reading the journal."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

INDEXES = {"ix_postings_project": "project_id", "ix_postings_merchant": "org_merchant_id"}


def upgrade() -> None:
    for name, column in INDEXES.items():
        is_named = sa.text(f"{column} IS NOT NULL")
        op.create_index(
            name,
            "postings",
            [column, "journal_entry_id"],
            sqlite_where=is_named,
            postgresql_where=is_named,
        )


def downgrade() -> None:
    for name in INDEXES:
        op.drop_index(name, "postings")
