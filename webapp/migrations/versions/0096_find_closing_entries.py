"""Let SQLite find the few closing entries by their index, whose condition it did not know in queries."""

from alembic import op

from webapp.migrations.tables import is_sqlite, where

revision = "0096"
down_revision = "0094"
branch_labels = None
depends_on = None

NAME, TABLE, COLUMNS = "ix_journal_entries_closings", "journal_entries", ["organization_id", "effective_on"]


def upgrade() -> None:
    if is_sqlite():
        op.drop_index(NAME, TABLE)
        op.create_index(NAME, TABLE, COLUMNS, **where("is_closing = 1", "is_closing"))


def downgrade() -> None:
    if is_sqlite():
        op.drop_index(NAME, TABLE)
        op.create_index(NAME, TABLE, COLUMNS, **where("is_closing"))
