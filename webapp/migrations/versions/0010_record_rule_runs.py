"""Record what rules did: each run, and each field that it set."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TRIGGERS = ("TRANSACTION_INGESTED", "TRANSACTION_UPDATED", "RECEIPT_PARSED", "MANUAL_APPLY")
KINDS = ("SET_CURRENCY", "SET_ACCOUNT", "SET_MERCHANT", "SET_PROJECT")


def upgrade() -> None:
    op.create_table(
        "rule_runs",
        sa.Column("action_request_id", sa.String(length=40), nullable=False),
        sa.Column("trigger", sa.String(length=32), nullable=False),
        sa.Column("rule_id", BIG, nullable=True),
        sa.Column("matched", sa.Integer(), nullable=False),
        sa.Column("changed", sa.Integer(), nullable=False),
        sa.Column("rules", sa.JSON(), nullable=False),
        sa.Column("skipped", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("undone_by", sa.String(length=40), nullable=True),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        one_of("rule_runs", "trigger", TRIGGERS),
        of_organization("rule_runs"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_runs")),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_rule_runs_organization_id_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_runs_newest", "rule_runs", ["organization_id", "created_at", "id"])
    op.create_table(
        "rule_settings",
        sa.Column("transaction_id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("rule_version", sa.Integer(), nullable=False),
        sa.Column("value", sa.String(length=20), nullable=False),
        sa.Column("before", sa.String(length=20), nullable=True),
        sa.Column("superseded_by", sa.String(length=40), nullable=True),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        one_of("rule_settings", "kind", KINDS),
        *(
            sa.ForeignKeyConstraint(
                ["organization_id", column],
                [f"{table}.organization_id", f"{table}.id"],
                name=op.f(f"fk_rule_settings_organization_id_{column}"),
                ondelete="RESTRICT",
            )
            for column, table in (("transaction_id", "transactions"), ("run_id", "rule_runs"))
        ),
        of_organization("rule_settings"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rule_settings")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_rule_settings_line", "rule_settings", ["transaction_id"])
    op.create_index("ix_rule_settings_run", "rule_settings", ["run_id", "transaction_id"])


def downgrade() -> None:
    op.drop_index("ix_rule_settings_run", "rule_settings")
    op.drop_index("ix_rule_settings_line", "rule_settings")
    op.drop_table("rule_settings")
    op.drop_index("ix_rule_runs_newest", "rule_runs")
    op.drop_table("rule_runs")


def one_of(table: str, column: str, words: tuple[str, ...]) -> sa.CheckConstraint:
    """Let a text column hold these words only."""
    listed = ", ".join(f"'{word}'" for word in words)
    return sa.CheckConstraint(f"{column} IN ({listed})", name=op.f(f"ck_{table}_{column}_word"))


def of_organization(table: str) -> sa.ForeignKeyConstraint:
    """Name whose row it is."""
    return sa.ForeignKeyConstraint(
        ["organization_id"], ["organizations.id"], name=op.f(f"fk_{table}_organization_id")
    )
