"""Say since when an account takes its currency alone."""

import sqlalchemy as sa
from alembic import op

revision = "0250"
down_revision = "0230"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("currency_from", sa.Date()))


def downgrade() -> None:
    op.drop_column("accounts", "currency_from")
