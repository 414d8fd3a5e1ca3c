"""Keep tax rates, and what the parts of items have of their base and tax."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, EXACT, INSTANT, is_sqlite, numbered, pair

revision = "0130"
down_revision = "0126"
branch_labels = None
depends_on = None

FILE = "0130_tax_parts"
KINDS = "'MONEY', 'DISCOUNT', 'WRITE_OFF', 'APPLIED', 'RELIEF', 'RETURNED', 'UNPAID', 'REPAID'"


def upgrade() -> None:
    op.create_table(
        "tax_rates",
        *numbered("tax_rates"),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("last_day", sa.Date(), nullable=False),
        sa.Column("currency", sa.String(3), nullable=False),
        sa.Column("units_per_base", EXACT, nullable=False),
        sa.Column("source", sa.String(255), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.UniqueConstraint(
            "organization_id",
            "currency",
            "day",
            "last_day",
            name="uq_tax_rates_organization_id_currency_day_last_day",
        ),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "tax_parts",
        *numbered("tax_parts"),
        sa.Column("journal_entry_id", BIG, nullable=False),
        sa.Column("settlement_id", BIG),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("tax_code_id", BIG, nullable=False),
        sa.Column("tax_point", sa.Date(), nullable=False),
        sa.Column("base_minor", sa.BigInteger(), nullable=False),
        sa.Column("tax_minor", sa.BigInteger(), nullable=False),
        sa.Column("posted_by_id", BIG, nullable=False),
        sa.Column("cause_id", BIG, nullable=False),
        sa.Column("is_own_day", sa.Boolean(), nullable=False),
        sa.Column("account_id", BIG),
        sa.Column("size_minor", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(f"kind IN ({KINDS})", name="ck_tax_parts_kind_word"),
        pair("tax_parts", "journal_entry_id", "journal_entries"),
        pair("tax_parts", "settlement_id", "settlements"),
        pair("tax_parts", "tax_code_id", "tax_codes"),
        pair("tax_parts", "posted_by_id", "journal_entries"),
        pair("tax_parts", "cause_id", "journal_entries"),
        pair("tax_parts", "account_id", "accounts"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tax_parts_entry", "tax_parts", ["organization_id", "journal_entry_id"])
    op.create_index("ix_tax_parts_posted_by", "tax_parts", ["organization_id", "posted_by_id"])
    op.create_index("ix_tax_parts_cause", "tax_parts", ["organization_id", "cause_id"])
    run(FILE)
    if not is_sqlite():
        protect("tax_rates")
        protect("tax_parts")


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_table("tax_parts")
    op.drop_table("tax_rates")
