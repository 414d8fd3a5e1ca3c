"""Remember which bank lines are the two sides of one transfer, and which are none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
STANDING = sa.text("status = 'STANDING'")


def upgrade() -> None:
    op.create_table(
        "transfer_pairs",
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("other_id", BIG, nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("counters", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(
            "status IN ('STANDING', 'UNDONE', 'DISMISSED')", name=op.f("ck_transfer_pairs_status_word")
        ),
        sa.CheckConstraint("transaction_id <> other_id", name=op.f("ck_transfer_pairs_two_lines")),
        *(
            sa.ForeignKeyConstraint(
                ["organization_id", column],
                ["transactions.organization_id", "transactions.id"],
                name=op.f(f"fk_transfer_pairs_organization_id_{column}"),
                ondelete="RESTRICT",
            )
            for column in ("transaction_id", "other_id")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_transfer_pairs_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transfer_pairs")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_transfer_pairs_organization_id_id")),
        sa.UniqueConstraint(
            "organization_id",
            "transaction_id",
            "other_id",
            name=op.f("uq_transfer_pairs_organization_id_transaction_id_other_id"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_transfer_pairs_standing",
        "transfer_pairs",
        ["organization_id", "transaction_id"],
        unique=True,
        sqlite_where=STANDING,
        postgresql_where=STANDING,
    )
    op.create_index("ix_transfer_pairs_other", "transfer_pairs", ["organization_id", "other_id"])


def downgrade() -> None:
    op.drop_index("ix_transfer_pairs_other", "transfer_pairs")
    op.drop_index("uq_transfer_pairs_standing", "transfer_pairs")
    op.drop_table("transfer_pairs")
