"""Remember the suggested rules that somebody did not want."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "suggestion_dismissals",
        sa.Column("key", sa.String(length=22), nullable=False),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("conditions", sa.JSON(), nullable=False),
        sa.Column("evidence_count", sa.Integer(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("dismissed_by", sa.JSON(), nullable=False),
        sa.Column("dismissed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "account_id"],
            ["accounts.organization_id", "accounts.id"],
            name=op.f("fk_suggestion_dismissals_organization_id_account_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"],
            ["organizations.id"],
            name=op.f("fk_suggestion_dismissals_organization_id"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suggestion_dismissals")),
        sa.UniqueConstraint(
            "organization_id", "id", name=op.f("uq_suggestion_dismissals_organization_id_id")
        ),
        sa.UniqueConstraint(
            "organization_id", "key", name=op.f("uq_suggestion_dismissals_organization_id_key")
        ),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    op.drop_table("suggestion_dismissals")
