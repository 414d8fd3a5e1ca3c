"""Let people choose the letters that they get."""

import sqlalchemy as sa
from alembic import op

revision = "0310"
down_revision = "0260"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("users", sa.Column("letters_off", sa.JSON()))


def downgrade() -> None:
    op.drop_column("users", "letters_off")
