"""Let an organization, and a person for themselves, choose the locale of amounts and days on pages."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("organizations", sa.Column("locale", sa.String(16), nullable=False, server_default="en-GB"))
    op.add_column("users", sa.Column("locale", sa.String(16), nullable=True))


def downgrade() -> None:
    with op.batch_alter_table("users") as batch:
        batch.drop_column("locale")
    with op.batch_alter_table("organizations") as batch:
        batch.drop_column("locale")
