"""Keep secrets that open with a key outside the database only."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import INSTANT

revision = "0220"
down_revision = "0176"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "secrets",
        sa.Column("uid", sa.String(32), nullable=False),
        sa.Column("owner_kind", sa.String(20), nullable=False),
        sa.Column("owner_uid", sa.String(32), nullable=False),
        sa.Column("purpose", sa.String(20), nullable=False),
        sa.Column("key_id", sa.String(16), nullable=False),
        sa.Column("nonce", sa.LargeBinary(), nullable=False),
        sa.Column("ciphertext", sa.LargeBinary(), nullable=False),
        sa.Column("sealed_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("uid", name="pk_secrets"),
        sa.UniqueConstraint(
            "owner_kind", "owner_uid", "purpose", name="uq_secrets_owner_kind_owner_uid_purpose"
        ),
    )


def downgrade() -> None:
    op.drop_table("secrets")
