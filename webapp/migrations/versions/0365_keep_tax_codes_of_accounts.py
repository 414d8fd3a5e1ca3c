"""Keep the tax code that bank lines get with an account."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.statements import drop_triggers, run
from webapp.migrations.tables import BIG

revision = "0365"
down_revision = "0360"
branch_labels = None
depends_on = None

FILE = "0365_tax_codes"


def upgrade() -> None:
    op.add_column("accounts", sa.Column("tax_code_id", BIG))
    run(FILE)


def downgrade() -> None:
    drop_triggers(FILE)
    op.drop_column("accounts", "tax_code_id")
