"""Find statement items by their line and entry: whoever deletes one makes the database ask for all that name it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

INDEXES = {
    "ix_reconciliation_items_line": ("reconciliation_items", "transaction_id"),
    "ix_reconciliation_items_entry": ("reconciliation_items", "journal_entry_id"),
    "ix_reconciliations_opening_entry": ("reconciliations", "opening_entry_id"),
}


def upgrade() -> None:
    for name, (table, column) in INDEXES.items():
        has_one = sa.text(f"{column} IS NOT NULL")
        op.create_index(name, table, [column], sqlite_where=has_one, postgresql_where=has_one)


def downgrade() -> None:
    for name, (table, _) in INDEXES.items():
        op.drop_index(name, table)
