"""Mark entries that close a year, so that reports count their results on retained earnings."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import is_sqlite, where

revision = "0087"
down_revision = "0086"
branch_labels = None
depends_on = None

FILE = "0087_closings"


def upgrade() -> None:
    op.add_column(
        "journal_entries", sa.Column("is_closing", sa.Boolean, server_default=sa.false(), nullable=False)
    )
    op.create_index(
        "ix_journal_entries_closings",
        "journal_entries",
        ["organization_id", "effective_on"],
        **where("is_closing"),
    )
    run(FILE)


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_index("ix_journal_entries_closings", "journal_entries")
    op.drop_column("journal_entries", "is_closing")
