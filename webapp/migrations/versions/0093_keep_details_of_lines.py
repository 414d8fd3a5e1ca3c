"""Keep what banks state of lines beside amount and text."""

import sqlalchemy as sa
from alembic import op

revision = "0093"
down_revision = "0088"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("transactions", sa.Column("details", sa.JSON(), nullable=True))


def downgrade() -> None:
    op.drop_column("transactions", "details")
