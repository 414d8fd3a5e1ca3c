"""Keep whether a document is of a sale or of a purchase, where its type leaves that open."""

from __future__ import annotations

from alembic import op

revision = "0066"
down_revision = "0065"
branch_labels = None
depends_on = None

# A column of its own is added and dropped without rebuilding the table, to which triggers refer.
ADD = (
    "ALTER TABLE documents ADD COLUMN side VARCHAR(16)"
    " CONSTRAINT ck_documents_side_word CHECK (side IN ('SALE', 'PURCHASE'))"
)


def upgrade() -> None:
    op.execute(ADD)


def downgrade() -> None:
    op.drop_column("documents", "side")
