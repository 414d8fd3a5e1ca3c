"""Keep why boxes were adjusted by hand."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_functions, drop_triggers, run
from webapp.migrations.tables import is_sqlite

revision = "0185"
down_revision = "0176"
branch_labels = None
depends_on = None

FILE = "0185_adjustments"


def upgrade() -> None:
    op.add_column("journal_entries", sa.Column("tax_reason", sa.String(20)))
    run(FILE)


def downgrade() -> None:
    drop_triggers(FILE)
    if not is_sqlite():
        drop_functions(FILE)
    op.drop_column("journal_entries", "tax_reason")
