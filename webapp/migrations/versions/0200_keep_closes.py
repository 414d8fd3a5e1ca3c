"""Keep closes of months with what they froze, the steps of one's own, and what people ticked."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered, owned, pair, where

revision = "0200"
down_revision = "0185"
branch_labels = None
depends_on = None

FILE = "0200_closes"
TABLES = ("closes", "own_steps", "close_marks", "close_policies")


def upgrade() -> None:
    make_closes()
    op.create_table(
        "own_steps",
        *numbered("own_steps"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("owner_id", BIG),
        sa.Column("due_after", sa.Integer()),
        sa.Column("every", sa.String(8), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint("every IN ('MONTH', 'QUARTER', 'YEAR')", name="ck_own_steps_every_word"),
        sqlite_autoincrement=True,
    )
    key = ("organization_id", "period", "code", "about")
    op.create_table(
        "close_marks",
        *numbered("close_marks"),
        sa.Column("period", sa.String(7), nullable=False),
        sa.Column("code", sa.String(32), nullable=False),
        sa.Column("about", sa.String(64), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("done_by", sa.JSON(), nullable=False),
        sa.Column("done_at", INSTANT, nullable=False),
        sa.UniqueConstraint(*key, name="uq_close_marks_organization_id_period_code_about"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "close_policies",
        *owned("close_policies"),
        sa.Column("needs_two", sa.Boolean(), nullable=False),
        sa.Column("expenses_from_minor", sa.BigInteger()),
        sa.Column("manual_from_minor", sa.BigInteger()),
        sa.Column("exempt_account_ids", sa.JSON(), nullable=False),
        sa.Column("exempt_merchant_ids", sa.JSON(), nullable=False),
        sa.Column("flux_amount_minor", sa.BigInteger()),
        sa.Column("flux_percent", sa.Integer()),
        sa.PrimaryKeyConstraint("organization_id", name="pk_close_policies"),
        sqlite_with_rowid=False,
    )
    run(FILE)
    for table in () if is_sqlite() else TABLES:
        protect(table)


def make_closes() -> None:
    op.create_table(
        "closes",
        *numbered("closes"),
        sa.Column("period", sa.String(7), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("needs_two", sa.Boolean(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("previous_id", BIG),
        sa.Column("lock_before", sa.Date()),
        sa.Column("preparer_id", BIG),
        sa.Column("prepared_by", sa.JSON(), nullable=False),
        sa.Column("prepared_at", INSTANT, nullable=False),
        sa.Column("approved_by", sa.JSON()),
        sa.Column("approved_at", INSTANT),
        sa.Column("reopened_by", sa.JSON()),
        sa.Column("reopened_at", INSTANT),
        sa.Column("reopen_note", sa.Text()),
        sa.CheckConstraint("status IN ('PREPARED', 'CLOSED', 'REOPENED')", name="ck_closes_status_word"),
        pair("closes", "previous_id", "closes"),
        sqlite_autoincrement=True,
    )
    columns = ["organization_id", "ends_on"]
    op.create_index("uq_closes_period", "closes", columns, unique=True, **where("status <> 'REOPENED'"))
    op.create_index("ix_closes_previous", "closes", ["previous_id"], **where("previous_id IS NOT NULL"))


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    for table in reversed(TABLES):
        op.drop_table(table)
