"""Find documents by their number without reading them all."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    is_numbered = sa.text("number IS NOT NULL")
    op.create_index(
        "ix_documents_number",
        "documents",
        ["organization_id", "number"],
        sqlite_where=is_numbered,
        postgresql_where=is_numbered,
    )


def downgrade() -> None:
    op.drop_index("ix_documents_number", "documents")
