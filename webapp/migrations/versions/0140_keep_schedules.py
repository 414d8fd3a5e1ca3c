"""Keep schedules with their parts, and the schedule of an entry."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, EXACT, INSTANT, is_sqlite, numbered, pair, where

revision = "0140"
down_revision = "0135"
branch_labels = None
depends_on = None

FILE = "0140_schedules"


def upgrade() -> None:
    op.add_column("journal_entries", sa.Column("schedule_id", BIG))
    make_schedules()
    make_parts()
    run(FILE)
    if not is_sqlite():
        protect("schedules")
        protect("schedule_parts")


def make_schedules() -> None:
    op.create_table(
        "schedules",
        *numbered("schedules"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("status", sa.String(8), nullable=False),
        sa.Column("account_id", BIG),
        sa.Column("counter_account_id", BIG),
        sa.Column("legs", sa.JSON()),
        sa.Column("currency", sa.String(3)),
        sa.Column("amount_minor", sa.BigInteger()),
        sa.Column("amount_base_minor", sa.BigInteger()),
        sa.Column("residual_minor", sa.BigInteger()),
        sa.Column("method", sa.String(16)),
        sa.Column("rate", EXACT),
        sa.Column("payment_minor", sa.BigInteger()),
        sa.Column("first_month", sa.String(4)),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("every", sa.String(8), nullable=False),
        sa.Column("day_rule", sa.String(16), nullable=False),
        sa.Column("document_id", BIG),
        sa.Column("origin_entry_id", BIG),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.CheckConstraint(
            "kind IN ('REVERSING', 'RECURRING', 'RELEASE', 'DEPRECIATION', 'LOAN')",
            name="ck_schedules_kind_word",
        ),
        sa.CheckConstraint("status IN ('ACTIVE', 'STOPPED')", name="ck_schedules_status_word"),
        sa.CheckConstraint("every IN ('MONTH', 'QUARTER', 'YEAR')", name="ck_schedules_every_word"),
        sa.CheckConstraint(
            "day_rule IN ('ANCHOR', 'LAST_DAY', 'FIRST_DAY')", name="ck_schedules_day_rule_word"
        ),
        sa.CheckConstraint("method IN ('STRAIGHT_LINE', 'REDUCING')", name="ck_schedules_method_word"),
        sa.CheckConstraint("first_month IN ('FULL', 'NEXT')", name="ck_schedules_first_month_word"),
        pair("schedules", "account_id", "accounts"),
        pair("schedules", "counter_account_id", "accounts"),
        pair("schedules", "document_id", "documents"),
        pair("schedules", "origin_entry_id", "journal_entries"),
        sqlite_autoincrement=True,
    )


def make_parts() -> None:
    table, key = "schedule_parts", ("organization_id", "schedule_id", "number")
    op.create_table(
        table,
        *numbered(table),
        sa.Column("schedule_id", BIG, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("due_on", sa.Date(), nullable=False),
        sa.Column("amount_minor", sa.BigInteger()),
        sa.Column("amount_base_minor", sa.BigInteger()),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("journal_entry_id", BIG),
        sa.Column("refusal_code", sa.String(64)),
        sa.Column("refusal", sa.Text()),
        sa.CheckConstraint(
            "state IN ('PLANNED', 'POSTED', 'REFUSED', 'SKIPPED')", name="ck_schedule_parts_state_word"
        ),
        sa.CheckConstraint(
            "state <> 'POSTED' OR journal_entry_id IS NOT NULL", name="ck_schedule_parts_posted_entry"
        ),
        pair(table, "schedule_id", "schedules"),
        pair(table, "journal_entry_id", "journal_entries"),
        sa.UniqueConstraint(*key, name="uq_schedule_parts_organization_id_schedule_id_number"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_schedules_origin", "schedules", ["origin_entry_id"], **where("origin_entry_id IS NOT NULL")
    )
    op.create_index(
        "ix_schedule_parts_entry", table, ["journal_entry_id"], **where("journal_entry_id IS NOT NULL")
    )
    op.create_index(
        "ix_schedule_parts_due", table, ["organization_id", "due_on"], **where("state <> 'SKIPPED'")
    )


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_table("schedule_parts")
    op.drop_table("schedules")
    op.drop_column("journal_entries", "schedule_id")
