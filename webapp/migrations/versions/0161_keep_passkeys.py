"""Keep the passkeys of people, and the challenges that a browser has still to answer."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import BIG, INSTANT

revision = "0161"
down_revision = "0160"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("user_id", BIG, nullable=False),
        sa.Column("credential", sa.String(1400), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("host", sa.String(255), nullable=False),
        sa.Column("name", sa.String(255), nullable=False),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("last_used_at", INSTANT),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_passkeys_user_id"),
        sa.UniqueConstraint("credential", name="uq_passkeys_credential"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_passkeys_user_id", "passkeys", ["user_id"])
    op.create_table(
        "passkey_challenges",
        sa.Column("challenge_hash", sa.String(64), nullable=False),
        sa.Column("user_id", BIG),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.PrimaryKeyConstraint("challenge_hash", name="pk_passkey_challenges"),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_passkey_challenges_user_id"),
    )
    op.create_index("ix_passkey_challenges_expires_at", "passkey_challenges", ["expires_at"])


def downgrade() -> None:
    op.drop_table("passkey_challenges")
    op.drop_table("passkeys")
