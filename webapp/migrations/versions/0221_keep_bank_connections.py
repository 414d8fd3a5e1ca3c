"""Keep connections to providers of bank lines, and the accounts that they show."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered, pair, where

revision = "0221"
down_revision = "0220"
branch_labels = None
depends_on = None

CONNECTIONS, ACCOUNTS = "bank_connections", "connected_accounts"


def upgrade() -> None:
    op.create_table(
        CONNECTIONS,
        *numbered(CONNECTIONS),
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("provider", sa.String(16), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("consent_ends_at", INSTANT),
        sa.Column("last_succeeded_at", INSTANT),
        sa.Column("calls_on", sa.Date()),
        sa.Column("calls", sa.Integer(), nullable=False),
        sa.Column("error_code", sa.String(40)),
        sa.Column("error", sa.Text()),
        sa.Column("error_at", INSTANT),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "status IN ('ACTIVE', 'NEEDS_CONSENT', 'FAILING', 'PAUSED', 'ENDED')",
            name=op.f("ck_bank_connections_status_word"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        ACCOUNTS,
        *numbered(ACCOUNTS),
        sa.Column("connection_id", BIG, nullable=False),
        sa.Column("external_id", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("currency", sa.String(255), nullable=False),
        sa.Column("iban", sa.String(34)),
        sa.Column("mask", sa.String(32)),
        sa.Column("feed_account_id", BIG),
        sa.Column("is_left", sa.Boolean(), nullable=False),
        sa.Column("is_gone", sa.Boolean(), nullable=False),
        sa.Column("is_renumbered", sa.Boolean(), nullable=False),
        sa.Column("fetch_from", sa.Date()),
        sa.Column("fetched_until", sa.Date()),
        sa.Column("balance_at", INSTANT),
        sa.Column("digest", sa.String(64)),
        sa.Column("batches", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text()),
        sa.Column("created_at", INSTANT, nullable=False),
        pair(ACCOUNTS, "connection_id", CONNECTIONS),
        pair(ACCOUNTS, "feed_account_id", "feed_accounts"),
        sa.UniqueConstraint(
            "organization_id",
            "connection_id",
            "external_id",
            name=op.f("uq_connected_accounts_organization_id_connection_id_external_id"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_connected_accounts_feed_account",
        ACCOUNTS,
        ["organization_id", "feed_account_id"],
        unique=True,
        **where("feed_account_id IS NOT NULL"),
    )
    if not is_sqlite():
        protect(CONNECTIONS)
        protect(ACCOUNTS)


def downgrade() -> None:
    op.drop_table(ACCOUNTS)
    op.drop_table(CONNECTIONS)
