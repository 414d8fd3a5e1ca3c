"""Let people choose the schedules whose parts post by themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0335"
down_revision = "0310"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("schedules", sa.Column("posts_itself", sa.Boolean(), server_default=sa.false(), nullable=False))


def downgrade() -> None:
    op.drop_column("schedules", "posts_itself")
