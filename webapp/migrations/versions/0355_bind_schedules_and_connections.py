"""Bind schedules, bank connections and the clients of connected programs in the audit trail."""

from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import is_sqlite

revision = "0355"
down_revision = "0340"
branch_labels = None
depends_on = None

FILE = "0355_bound"
# What is there, or was changed and bound by no event, is bound by the one that follows a migration.
FOUND = {
    "account": "accounts WHERE currency_from IS NOT NULL",
    "document": "documents WHERE received_on IS NOT NULL",
    "schedule": "schedules",
    "bank_connection": "bank_connections",
    "key": "api_tokens WHERE client_id IS NOT NULL",
}


def upgrade() -> None:
    run(FILE)
    for kind, rows in FOUND.items():
        found = f"SELECT organization_id, '{kind}', id FROM {rows}"  # noqa: S608  (names of ours)
        op.execute(f"INSERT INTO written_rows (organization_id, kind, row_id) {found}")


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.execute("DELETE FROM written_rows WHERE kind IN ('schedule', 'bank_connection')")
