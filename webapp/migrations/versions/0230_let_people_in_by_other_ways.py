"""Let keys approve where an owner allows it."""

import sqlalchemy as sa
from alembic import op

revision = "0230"
down_revision = "0220"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "organizations",
        sa.Column("has_approving_keys", sa.Boolean(), server_default=sa.false(), nullable=False),
    )


def downgrade() -> None:
    op.drop_column("organizations", "has_approving_keys")
