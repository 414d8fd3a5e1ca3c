"""Name with a proposal the one that replaced it: the same call, asked for again with another effect."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0037"
branch_labels = None
depends_on = None

KEY = "fk_proposals_organization_id_replaced_by"


def upgrade() -> None:
    with op.batch_alter_table("proposals") as batch:
        batch.add_column(sa.Column("replaced_by", sa.String(length=40), nullable=True))
        batch.create_foreign_key(
            op.f(KEY),
            "action_requests",
            ["organization_id", "replaced_by"],
            ["organization_id", "id"],
            ondelete="RESTRICT",
        )


def downgrade() -> None:
    with op.batch_alter_table("proposals") as batch:
        batch.drop_constraint(op.f(KEY), type_="foreignkey")
        batch.drop_column("replaced_by")
