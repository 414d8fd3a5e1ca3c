"""Keep tax codes and installed packs, and the code, tax point and boxes of postings."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, EXACT, INSTANT, is_sqlite, numbered, where

revision = "0125"
down_revision = "0123"
branch_labels = None
depends_on = None

FILE = "0125_taxes"
TABLES = ("tax_codes", "tax_packs")


def upgrade() -> None:
    op.add_column("postings", sa.Column("tax_code_id", BIG))
    op.add_column("postings", sa.Column("tax_point", sa.Date()))
    op.add_column("postings", sa.Column("boxes", sa.JSON()))
    op.create_index(
        "ix_postings_taxes", "postings", ["organization_id", "tax_point"], **where("tax_point IS NOT NULL")
    )
    make_codes()
    make_packs()
    run(FILE)
    if not is_sqlite():
        for table in TABLES:
            protect(table)


def make_codes() -> None:
    op.create_table(
        "tax_codes",
        *numbered("tax_codes"),
        sa.Column("code", sa.String(20), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("side", sa.String(8), nullable=False),
        sa.Column("rate", EXACT, nullable=False),
        sa.Column("basis", sa.String(8), nullable=False),
        sa.Column("amount_is", sa.String(4), nullable=False),
        sa.Column("is_self_assessed", sa.Boolean(), nullable=False),
        sa.Column("has_relief", sa.Boolean(), nullable=False),
        sa.Column("pack", sa.String(32)),
        sa.Column("valid_from", sa.Date()),
        sa.Column("valid_to", sa.Date()),
        sa.Column("is_archived", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("shares", sa.JSON(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.UniqueConstraint("organization_id", "code", name="uq_tax_codes_organization_id_code"),
        sa.CheckConstraint("side IN ('SALE', 'PURCHASE')", name="ck_tax_codes_side_word"),
        sa.CheckConstraint("basis IN ('ACCRUAL', 'CASH')", name="ck_tax_codes_basis_word"),
        sa.CheckConstraint("amount_is IN ('BASE', 'TAX')", name="ck_tax_codes_amount_is_word"),
        sqlite_autoincrement=True,
    )


def make_packs() -> None:
    op.create_table(
        "tax_packs",
        *numbered("tax_packs"),
        sa.Column("name", sa.String(32), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("basis", sa.String(8), nullable=False),
        sa.Column("frequency", sa.String(16), nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("updated_at", INSTANT, nullable=False),
        sa.UniqueConstraint("organization_id", "name", name="uq_tax_packs_organization_id_name"),
        sa.CheckConstraint("basis IN ('ACCRUAL', 'CASH')", name="ck_tax_packs_basis_word"),
        sa.CheckConstraint(
            "frequency IN ('MONTHLY', 'QUARTERLY', 'YEARLY')", name="ck_tax_packs_frequency_word"
        ),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    for table in reversed(TABLES):
        op.drop_table(table)
    op.drop_index("ix_postings_taxes", "postings")
    for column in ("boxes", "tax_point", "tax_code_id"):
        op.drop_column("postings", column)
