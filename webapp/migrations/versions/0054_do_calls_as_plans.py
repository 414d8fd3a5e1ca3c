"""Name with an act the plan that it was a step of, and let a proposal need several scopes."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("action_requests", sa.Column("plan_id", sa.String(length=40), nullable=True))
    with op.batch_alter_table("proposals") as batch:
        batch.alter_column("scope", existing_type=sa.String(length=16), type_=sa.String(length=64))


def downgrade() -> None:
    with op.batch_alter_table("proposals") as batch:
        batch.alter_column(
            "scope",
            existing_type=sa.String(length=64),
            type_=sa.String(length=16),
            postgresql_using="left(scope, 16)",
        )
    op.drop_column("action_requests", "plan_id")
