"""Keep which schedules post themselves, and which entry an accrual is about."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import BIG

revision = "0360"
down_revision = "0355"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "schedules", sa.Column("posts_itself", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column("schedules", sa.Column("accrues_entry_id", BIG))


def downgrade() -> None:
    op.drop_column("schedules", "accrues_entry_id")
    op.drop_column("schedules", "posts_itself")
