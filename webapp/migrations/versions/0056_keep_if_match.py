"""Keep with a proposal the version of the record that it was asked for on condition of."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("proposals", sa.Column("if_match", sa.Text))


def downgrade() -> None:
    op.drop_column("proposals", "if_match")
