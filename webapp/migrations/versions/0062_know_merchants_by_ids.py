"""Know merchants by their VAT ids and the numbers of their accounts."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None

COLUMNS = ("vat_ids", "ibans")


def upgrade() -> None:
    for name in COLUMNS:
        op.add_column("merchants", sa.Column(name, sa.JSON(), server_default="[]", nullable=False))


def downgrade() -> None:
    for name in reversed(COLUMNS):
        op.drop_column("merchants", name)
