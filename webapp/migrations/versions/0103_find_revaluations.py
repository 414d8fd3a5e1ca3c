"""Find the entries of a revaluation by their act."""

from alembic import op

from webapp.migrations.tables import where

revision = "0103"
down_revision = "0101"
branch_labels = None
depends_on = None

NAME = "ix_journal_entries_revaluations"


def upgrade() -> None:
    op.create_index(
        NAME, "journal_entries", ["organization_id", "action_request_id"], **where("source = 'revaluation'")
    )


def downgrade() -> None:
    op.drop_index(NAME, "journal_entries")
