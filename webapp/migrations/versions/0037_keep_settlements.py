"""Keep settlements: open items of one account that were matched with each other."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "settlements",
        sa.Column("account_id", BIG, nullable=False),
        sa.Column("currency", sa.String(length=3), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("settled_on", sa.Date(), nullable=False),
        sa.Column("undone_on", sa.Date(), nullable=True),
        sa.Column("actor", sa.JSON(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        *numbered("settlements"),
        refers("settlements", "account_id", "accounts"),
        sa.CheckConstraint("status IN ('STANDING', 'UNDONE')", name=op.f("ck_settlements_status_word")),
        sa.CheckConstraint(
            "(status = 'UNDONE') = (undone_on IS NOT NULL)", name=op.f("ck_settlements_undone_on_a_day")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_settlements_account", "settlements", ["organization_id", "account_id", "id"])
    op.create_table(
        "settlement_parts",
        sa.Column("settlement_id", BIG, nullable=False),
        sa.Column("item_id", BIG, nullable=False),
        sa.Column("journal_entry_id", BIG, nullable=False),
        sa.Column("amount_minor", sa.BigInteger(), nullable=False),
        sa.Column("amount_base_minor", sa.BigInteger(), nullable=False),
        *numbered("settlement_parts"),
        refers("settlement_parts", "settlement_id", "settlements"),
        refers("settlement_parts", "journal_entry_id", "journal_entries"),
        sa.UniqueConstraint(
            "settlement_id", "item_id", name=op.f("uq_settlement_parts_settlement_id_item_id")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_settlement_parts_item", "settlement_parts", ["organization_id", "item_id"])
    op.create_index("ix_settlement_parts_entry", "settlement_parts", ["organization_id", "journal_entry_id"])


def downgrade() -> None:
    op.drop_table("settlement_parts")
    op.drop_table("settlements")


def numbered(table: str) -> list[sa.schema.SchemaItem]:
    return [
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f(f"fk_{table}_organization_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        sa.UniqueConstraint("organization_id", "id", name=op.f(f"uq_{table}_organization_id_id")),
    ]


def refers(table: str, column: str, other: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id", column],
        [f"{other}.organization_id", f"{other}.id"],
        name=op.f(f"fk_{table}_organization_id_{column}"),
        ondelete="RESTRICT",
    )
