"""Remember how the columns of tables are read, and with each import how its own were."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "column_mappings",
        sa.Column("feed_account_id", BIG, nullable=False),
        sa.Column("layout", sa.String(length=64), nullable=False),
        sa.Column("mapping", sa.JSON(), nullable=False),
        sa.Column("names", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "feed_account_id"],
            ["feed_accounts.organization_id", "feed_accounts.id"],
            name=op.f("fk_column_mappings_organization_id_feed_account_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_column_mappings_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_column_mappings")),
        sa.UniqueConstraint(
            "organization_id",
            "feed_account_id",
            "layout",
            name=op.f("uq_column_mappings_organization_id_feed_account_id_layout"),
        ),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_column_mappings_organization_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_column_mappings_layout", "column_mappings", ["organization_id", "layout"])
    op.add_column("imports", sa.Column("reading", sa.JSON(), nullable=False, server_default="{}"))


def downgrade() -> None:
    op.drop_column("imports", "reading")
    op.drop_index("ix_column_mappings_layout", "column_mappings")
    op.drop_table("column_mappings")
