"""Keep which postings have an amount in the base currency that somebody wrote, and the limit of a write-off."""

import sqlalchemy as sa
from alembic import op

revision = "0088"
down_revision = "0087"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column(
        "postings", sa.Column("has_own_base", sa.Boolean(), server_default=sa.false(), nullable=False)
    )
    op.add_column("organizations", sa.Column("write_off_limit_minor", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("organizations", "write_off_limit_minor")
    op.drop_column("postings", "has_own_base")
