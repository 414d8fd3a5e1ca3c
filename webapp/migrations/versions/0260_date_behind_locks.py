"""Keep a lock of adjusting entries, exceptions from locks, and owners with their shares."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, numbered, pair, where

revision = "0260"
down_revision = "0230"
branch_labels = None
depends_on = None

FILE = "0260_locks"
ENTRIES = "journal_entries"
INDEXES = {"adjusting": "is_adjusting", "appropriating": "appropriates_on IS NOT NULL"}


def upgrade() -> None:
    op.add_column("organizations", sa.Column("adjustments_lock_date", sa.Date()))
    op.add_column(ENTRIES, sa.Column("is_adjusting", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column(ENTRIES, sa.Column("lock_exception_id", BIG))
    op.add_column(ENTRIES, sa.Column("appropriates_on", sa.Date()))
    for name, condition in INDEXES.items():
        on_sqlite = f"{condition} = 1" if condition.isidentifier() else condition
        columns = ["organization_id", "effective_on"]
        op.create_index(f"ix_{ENTRIES}_{name}", ENTRIES, columns, **where(on_sqlite, condition))
    op.create_table(
        "lock_exceptions",
        *numbered("lock_exceptions"),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=False),
        sa.Column("until", INSTANT, nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("granted_by", sa.JSON(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("ended_by", sa.JSON()),
        sa.Column("ended_at", INSTANT),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_lock_exceptions_user", "lock_exceptions", ["user_id"], **where("ended_at IS NULL"))
    op.create_table(
        "owners",
        *numbered("owners"),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("capital_account_id", BIG, nullable=False),
        sa.Column("drawings_account_id", BIG),
        sa.Column("shares", sa.JSON(), nullable=False),
        sa.Column("is_archived", sa.Boolean(), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        pair("owners", "capital_account_id", "accounts"),
        pair("owners", "drawings_account_id", "accounts"),
        sqlite_autoincrement=True,
    )
    run(FILE)
    for table in () if is_sqlite() else ("lock_exceptions", "owners"):
        protect(table)


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_table("owners")
    op.drop_table("lock_exceptions")
    for name in INDEXES:
        op.drop_index(f"ix_{ENTRIES}_{name}", ENTRIES)
    for column in ("appropriates_on", "lock_exception_id", "is_adjusting"):
        op.drop_column(ENTRIES, column)
    op.drop_column("organizations", "adjustments_lock_date")
