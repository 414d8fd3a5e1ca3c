"""Keep when documents came, changed periods of packs, notices of late errors, and what returns have looked at."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_triggers, run
from webapp.migrations.tables import BIG, where

revision = "0135"
down_revision = "0130"
branch_labels = None
depends_on = None

FILE = "0135_notices"


def upgrade() -> None:
    op.add_column("documents", sa.Column("received_on", sa.Date()))
    op.add_column("tax_packs", sa.Column("counted_from", sa.Date()))
    op.add_column(
        "tax_returns", sa.Column("is_notice", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column("tax_returns", sa.Column("last_number", BIG))
    make_index("status = 'FILED' AND NOT is_notice")
    run(FILE)


def make_index(condition: str) -> None:
    op.drop_index("uq_tax_returns_period", "tax_returns")
    columns = ["organization_id", "form", "ends_on"]
    op.create_index("uq_tax_returns_period", "tax_returns", columns, unique=True, **where(condition))


def downgrade() -> None:
    drop_triggers(FILE)
    make_index("status = 'FILED'")
    for name in ("last_number", "is_notice"):
        op.drop_column("tax_returns", name)
    op.drop_column("tax_packs", "counted_from")
    op.drop_column("documents", "received_on")
