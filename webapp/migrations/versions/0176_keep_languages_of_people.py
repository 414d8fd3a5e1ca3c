"""Keep the language that a person chose for the pages."""

import sqlalchemy as sa
from alembic import op

revision = "0176"
down_revision = "0175"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("language", sa.String(8), nullable=True))


def downgrade() -> None:
    op.drop_column("users", "language")
