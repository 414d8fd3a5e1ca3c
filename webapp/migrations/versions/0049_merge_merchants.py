"""Merge merchants: one that is merged names the one that it counts as, and the one that it came along with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# A rebuilt table would forget that it never gives an id out twice.
AUTOINCREMENT = {"sqlite_autoincrement": True}
COLUMNS = ("merged_into_id", "merged_through_id")
CHECKS = {
    "ck_merchants_merged_into_another": "merged_into_id <> id",
    "ck_merchants_merged_through_another": (
        "merged_through_id IS NULL OR merged_through_id NOT IN (id, merged_into_id)"
    ),
    "ck_merchants_merged_through_merged": "merged_through_id IS NULL OR merged_into_id IS NOT NULL",
}


def upgrade() -> None:
    with op.batch_alter_table("merchants", table_kwargs=AUTOINCREMENT) as batch:
        for column in COLUMNS:
            batch.add_column(sa.Column(column, BIG, nullable=True))
            batch.create_foreign_key(
                op.f(f"fk_merchants_organization_id_{column}"),
                "merchants",
                ["organization_id", column],
                ["organization_id", "id"],
                ondelete="RESTRICT",
            )
        for name, condition in CHECKS.items():
            batch.create_check_constraint(op.f(name), condition)
    is_merged = sa.text("merged_into_id IS NOT NULL")
    op.create_index(
        "ix_merchants_merged",
        "merchants",
        ["organization_id", "merged_into_id", "id"],
        sqlite_where=is_merged,
        postgresql_where=is_merged,
    )


def downgrade() -> None:
    op.drop_index("ix_merchants_merged", "merchants")
    with op.batch_alter_table("merchants", table_kwargs=AUTOINCREMENT) as batch:
        for name in CHECKS:
            batch.drop_constraint(op.f(name), type_="check")
        for column in COLUMNS:
            batch.drop_constraint(op.f(f"fk_merchants_organization_id_{column}"), type_="foreignkey")
            batch.drop_column(column)
