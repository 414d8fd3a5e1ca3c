"""Let people switch the letter keys of pages off, as WCAG 2.1.4 asks; they are on for everybody until then."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "users", sa.Column("letter_keys_off", sa.Boolean(), nullable=False, server_default=sa.false())
    )


def downgrade() -> None:
    with op.batch_alter_table("users") as batch:
        batch.drop_column("letter_keys_off")
