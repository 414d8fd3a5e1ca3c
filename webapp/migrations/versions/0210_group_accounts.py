"""Group accounts for the subtotals of statements, and keep disposals and proofs of accounts."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered, pair, where

revision = "0210"
down_revision = "0176"
branch_labels = None
depends_on = None

ACCOUNTS = sa.table(
    "accounts",
    sa.column("organization_id"),
    sa.column("id"),
    sa.column("type"),
    sa.column("group"),
)
FEED_ACCOUNTS = sa.table("feed_accounts", sa.column("organization_id"), sa.column("account_id"))


OF_DISPOSALS = ("asset_account_id", "disposal_entry_id", "sale_entry_id")


def upgrade() -> None:
    for name in OF_DISPOSALS:
        op.add_column("schedules", sa.Column(name, BIG))
    op.add_column("schedules", sa.Column("disposed_on", sa.Date()))
    op.add_column("accounts", sa.Column("group", sa.String(32)))
    is_of_bank = sa.exists().where(
        FEED_ACCOUNTS.c.organization_id == ACCOUNTS.c.organization_id,
        FEED_ACCOUNTS.c.account_id == ACCOUNTS.c.id,
    )
    op.execute(sa.update(ACCOUNTS).where(ACCOUNTS.c.type == "ASSET", is_of_bank).values(group="BANK"))
    op.add_column(
        "organizations",
        sa.Column("materiality_minor", sa.BigInteger(), server_default="0", nullable=False),
    )
    make_notes()


def make_notes() -> None:
    table = "balance_notes"
    op.create_table(
        table,
        *numbered(table),
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("as_of", sa.Date(), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("owner", sa.String(255)),
        sa.Column("reverses_by", sa.Date()),
        sa.Column("document_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("withdrawn_at", INSTANT),
        sa.CheckConstraint(
            "kind IN ('ATTESTED', 'TIMING', 'DISPUTE', 'TO_CORRECT', 'OTHER')",
            name="ck_balance_notes_kind_word",
        ),
        sa.CheckConstraint("(kind = 'ATTESTED') = (reverses_by IS NULL)", name="ck_balance_notes_reversing"),
        pair(table, "account_id", "accounts"),
        pair(table, "document_id", "documents"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_balance_notes_day", table, ["organization_id", "as_of"])
    op.create_index("ix_balance_notes_account", table, ["organization_id", "account_id"])
    op.create_index("ix_balance_notes_document", table, ["document_id"], **where("document_id IS NOT NULL"))
    if not is_sqlite():
        protect(table)


def downgrade() -> None:
    op.drop_table("balance_notes")
    op.drop_column("organizations", "materiality_minor")
    for name in (*OF_DISPOSALS, "disposed_on"):
        op.drop_column("schedules", name)
    op.drop_column("accounts", "group")
