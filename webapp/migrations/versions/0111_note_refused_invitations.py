"""Note when the password of somebody with the link of an invitation was refused."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import INSTANT

revision = "0111"
down_revision = "0103"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("invitations", sa.Column("refused_at", INSTANT, nullable=True))


def downgrade() -> None:
    op.drop_column("invitations", "refused_at")
