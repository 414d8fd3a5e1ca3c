"""Store how much of a line each part of a payment is, where several of them are in other currencies than its own."""

import sqlalchemy as sa
from alembic import op

revision = "0119"
down_revision = "0115"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("payment_parts", sa.Column("in_line_minor", sa.BigInteger()))


def downgrade() -> None:
    op.drop_column("payment_parts", "in_line_minor")
