"""Keep files for ever, or for a number of years; find those that are older."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0072"
down_revision = "0071"
branch_labels = None
depends_on = None

INDEX = "ix_stored_files_came"
IS_KEPT = "thrown_away_at IS NULL"


def upgrade() -> None:
    op.add_column("organizations", sa.Column("retention_years", sa.Integer(), nullable=True))
    op.create_index(
        INDEX,
        "stored_files",
        ["organization_id", "created_at"],
        sqlite_where=sa.text(IS_KEPT),
        postgresql_where=sa.text(IS_KEPT),
    )


def downgrade() -> None:
    op.drop_index(INDEX, "stored_files")
    op.drop_column("organizations", "retention_years")
