"""Find drafts by day, the lines of an amount by index, and the drafts of an import by key."""

from alembic import op

from webapp.migrations.statements import run
from webapp.migrations.tables import where

revision = "0375"
down_revision = "0370"
branch_labels = None
depends_on = None

DRAFTS, STATUS = "ix_journal_entries_drafts", "ix_transactions_status"
OF_STATUS = ("feed_account_id", "status", "organization_id")


def upgrade() -> None:
    _make(["effective_on", "id"], ["booked_on", "amount_minor"])
    if op.get_bind().dialect.name == "postgresql":
        run("0375_unconfirmed")


def downgrade() -> None:
    # The function stays: it counts the same.
    _make(["id"], [])


def _make(of_draft: list[str], of_line: list[str]) -> None:
    op.drop_index(DRAFTS, "journal_entries")
    op.drop_index(STATUS, "transactions")
    op.create_index(DRAFTS, "journal_entries", ["organization_id", *of_draft], **where("status = 'DRAFT'"))
    op.create_index(STATUS, "transactions", [*OF_STATUS, *of_line])
