"""Remember what a feed says: its lines by the provider's id, its batches, and which rows are one line."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "feed_batches",
        sa.Column("feed_account_id", BIG_ID, nullable=False),
        sa.Column("batch_id", sa.String(length=255), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("answer", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", BIG_ID, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "feed_account_id"],
            ["feed_accounts.organization_id", "feed_accounts.id"],
            name=op.f("fk_feed_batches_organization_id_feed_account_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_feed_batches_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feed_batches")),
        sa.UniqueConstraint(
            "organization_id",
            "feed_account_id",
            "batch_id",
            name=op.f("uq_feed_batches_organization_id_feed_account_id_batch_id"),
        ),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_feed_batches_organization_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "feed_lines",
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column("feed_account_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("provider_transaction_id", sa.String(length=255), nullable=False),
        sa.Column("transaction_id", BIG_ID, nullable=True),
        sa.Column("said", sa.String(length=8), nullable=False),
        sa.Column("is_pending", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.LargeBinary(length=16), nullable=True),
        sa.Column("pending_id", sa.String(length=255), nullable=True),
        sa.CheckConstraint("said IN ('ADDED', 'MODIFIED', 'REMOVED')", name=op.f("ck_feed_lines_said_word")),
        sa.ForeignKeyConstraint(
            ["organization_id", "feed_account_id"],
            ["feed_accounts.organization_id", "feed_accounts.id"],
            name=op.f("fk_feed_lines_organization_id_feed_account_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "transaction_id"],
            ["transactions.organization_id", "transactions.id"],
            name=op.f("fk_feed_lines_organization_id_transaction_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_feed_lines_organization_id")
        ),
        sa.PrimaryKeyConstraint(
            "organization_id", "feed_account_id", "provider_transaction_id", name=op.f("pk_feed_lines")
        ),
        sqlite_with_rowid=False,
    )
    op.create_index(
        "ix_feed_lines_pending",
        "feed_lines",
        ["organization_id", "feed_account_id", "pending_id"],
        sqlite_where=sa.text("pending_id IS NOT NULL"),
        postgresql_where=sa.text("pending_id IS NOT NULL"),
    )
    op.create_index("ix_feed_lines_transaction", "feed_lines", ["organization_id", "transaction_id"])
    op.create_table(
        "line_changes",
        sa.Column("transaction_id", BIG_ID, nullable=False),
        sa.Column("before", sa.JSON(), nullable=False),
        sa.Column("after", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("id", BIG_ID, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id", "transaction_id"],
            ["transactions.organization_id", "transactions.id"],
            name=op.f("fk_line_changes_organization_id_transaction_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_line_changes_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_line_changes")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_line_changes_organization_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_line_changes_transaction", "line_changes", ["organization_id", "transaction_id"])
    op.create_table(
        "line_joins",
        sa.Column("kept_id", BIG_ID, nullable=False),
        sa.Column("joined_id", BIG_ID, nullable=False),
        sa.Column("tier", sa.String(length=8), nullable=False),
        sa.Column("status", sa.String(length=9), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("decided_by", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", BIG_ID, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(
            "status IN ('JOINED', 'SUGGESTED', 'REFUSED')", name=op.f("ck_line_joins_status_word")
        ),
        sa.CheckConstraint(
            "tier IN ('LINK', 'EXACT', 'TIP', 'REWORDED', 'TWIN', 'REISSUED', 'PERSON')",
            name=op.f("ck_line_joins_tier_word"),
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "joined_id"],
            ["transactions.organization_id", "transactions.id"],
            name=op.f("fk_line_joins_organization_id_joined_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "kept_id"],
            ["transactions.organization_id", "transactions.id"],
            name=op.f("fk_line_joins_organization_id_kept_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_line_joins_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_line_joins")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_line_joins_organization_id_id")),
        sa.UniqueConstraint(
            "organization_id",
            "kept_id",
            "joined_id",
            name=op.f("uq_line_joins_organization_id_kept_id_joined_id"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_line_joins_joined", "line_joins", ["organization_id", "joined_id"])
    op.create_index(
        "uq_line_joins_joined_once",
        "line_joins",
        ["organization_id", "joined_id"],
        unique=True,
        sqlite_where=sa.text("status = 'JOINED'"),
        postgresql_where=sa.text("status = 'JOINED'"),
    )
    op.add_column(
        "feed_accounts", sa.Column("refused_batches", sa.Integer(), server_default="0", nullable=False)
    )
    op.add_column("feed_accounts", sa.Column("paused_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("feed_accounts", sa.Column("paused_reason", sa.Text(), nullable=True))
    op.create_index(
        "ix_transactions_pending",
        "transactions",
        ["organization_id", "feed_account_id"],
        sqlite_where=sa.text("status = 'PENDING'"),
        postgresql_where=sa.text("status = 'PENDING'"),
    )


def downgrade() -> None:
    op.drop_index(
        "ix_transactions_pending",
        table_name="transactions",
        sqlite_where=sa.text("status = 'PENDING'"),
        postgresql_where=sa.text("status = 'PENDING'"),
    )
    op.drop_column("feed_accounts", "paused_reason")
    op.drop_column("feed_accounts", "paused_at")
    op.drop_column("feed_accounts", "refused_batches")
    op.drop_index(
        "uq_line_joins_joined_once",
        table_name="line_joins",
        sqlite_where=sa.text("status = 'JOINED'"),
        postgresql_where=sa.text("status = 'JOINED'"),
    )
    op.drop_index("ix_line_joins_joined", table_name="line_joins")
    op.drop_table("line_joins")
    op.drop_index("ix_line_changes_transaction", table_name="line_changes")
    op.drop_table("line_changes")
    op.drop_index("ix_feed_lines_transaction", table_name="feed_lines")
    op.drop_index(
        "ix_feed_lines_pending",
        table_name="feed_lines",
        sqlite_where=sa.text("pending_id IS NOT NULL"),
        postgresql_where=sa.text("pending_id IS NOT NULL"),
    )
    op.drop_table("feed_lines")
    op.drop_table("feed_batches")
