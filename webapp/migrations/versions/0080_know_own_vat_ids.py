"""Know an organization by its own VAT ids, which invoices name it by."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0080"
down_revision = "0079"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("organizations", sa.Column("vat_ids", sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    op.drop_column("organizations", "vat_ids")
