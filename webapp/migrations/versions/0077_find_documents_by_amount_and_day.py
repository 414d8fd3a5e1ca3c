"""Find documents by an amount and a day in one index each, so that of thousands with one amount no other row is read."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0077"
down_revision = "0076"
branch_labels = None
depends_on = None


def upgrade() -> None:
    index("issued_on", "due_on")


def downgrade() -> None:
    index()


def index(*days: str) -> None:
    for name in ("total", "due"):
        op.drop_index(f"ix_documents_{name}", "documents")
        is_there = sa.text(f"{name}_minor IS NOT NULL")
        op.create_index(
            f"ix_documents_{name}",
            "documents",
            ["organization_id", f"{name}_minor", *days],
            sqlite_where=is_there,
            postgresql_where=is_there,
        )
