"""Let a token have caps: what it may post in a day, and how often it may ask."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
CAPS = {
    "max_entries_a_day": ("INTEGER", 0),
    "max_amount_a_day_minor": ("BIGINT", 0),
    "max_requests_a_minute": ("INTEGER", 1),
}


def upgrade() -> None:
    for column, (kind, least) in CAPS.items():
        name = f"ck_api_tokens_{column.removesuffix('_minor')}"
        op.execute(
            f"ALTER TABLE api_tokens ADD COLUMN {column} {kind} CONSTRAINT {name} CHECK ({column} >= {least})"
        )
    op.create_table(
        "token_days",
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.Column("token_id", BIG, autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("entry_count", sa.Integer(), nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name="fk_token_days_organization_id"
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "token_id"],
            ["api_tokens.organization_id", "api_tokens.id"],
            name="fk_token_days_organization_id_token_id",
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("organization_id", "token_id", "day", name="pk_token_days"),
        sqlite_with_rowid=False,
    )


def downgrade() -> None:
    op.drop_table("token_days")
    for column in reversed(CAPS):
        op.drop_column("api_tokens", column)
