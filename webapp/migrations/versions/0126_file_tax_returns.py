"""Keep tax returns, and the stamps that say in which return a posting is."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered, pair, where

revision = "0126"
down_revision = "0125"
branch_labels = None
depends_on = None

FILE = "0126_returns"
STANDING = "ended_at IS NULL"


def upgrade() -> None:
    op.create_table(
        "tax_returns",
        *numbered("tax_returns"),
        sa.Column("form", sa.String(32), nullable=False),
        sa.Column("pack_version", sa.Integer(), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("ends_on", sa.Date(), nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("figures", sa.JSON(), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("reference", sa.String(255)),
        sa.Column("note", sa.Text()),
        sa.Column("filed_at", INSTANT, nullable=False),
        sa.Column("filed_by", sa.JSON(), nullable=False),
        sa.Column("journal_entry_id", BIG),
        sa.Column("withdrawn_at", INSTANT),
        sa.Column("reason", sa.Text()),
        sa.CheckConstraint("status IN ('FILED', 'WITHDRAWN')", name="ck_tax_returns_status_word"),
        sa.CheckConstraint(
            "(status = 'WITHDRAWN') = (withdrawn_at IS NOT NULL)", name="ck_tax_returns_withdrawn_at"
        ),
        pair("tax_returns", "journal_entry_id", "journal_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "uq_tax_returns_period",
        "tax_returns",
        ["organization_id", "form", "ends_on"],
        unique=True,
        **where("status = 'FILED'"),
    )
    settled = where("journal_entry_id IS NOT NULL")
    op.create_index("ix_tax_returns_entry", "tax_returns", ["journal_entry_id"], **settled)
    op.create_table(
        "tax_stamps",
        *numbered("tax_stamps"),
        sa.Column("return_id", BIG, nullable=False),
        sa.Column("posting_id", BIG, nullable=False),
        sa.Column("form", sa.String(32), nullable=False),
        sa.Column("ended_at", INSTANT),
        pair("tax_stamps", "return_id", "tax_returns"),
        sqlite_autoincrement=True,
    )
    columns = ["organization_id", "posting_id", "form"]
    op.create_index("uq_tax_stamps_standing", "tax_stamps", columns, unique=True, **where(STANDING))
    op.create_index("ix_tax_stamps_return", "tax_stamps", ["organization_id", "return_id"])
    run(FILE)
    if not is_sqlite():
        protect("tax_returns")
        protect("tax_stamps")


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_table("tax_stamps")
    op.drop_table("tax_returns")
