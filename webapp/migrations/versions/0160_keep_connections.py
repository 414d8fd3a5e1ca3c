"""Keep connections of clients that sign in by OAuth, and the hashes of their codes and tokens."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect
from webapp.migrations.tables import BIG, INSTANT, is_sqlite, owned, pair

revision = "0160"
down_revision = "0150"
branch_labels = None
depends_on = None

TABLE = "connection_secrets"


def upgrade() -> None:
    op.add_column("api_tokens", sa.Column("client_id", sa.String(512)))
    op.create_table(
        TABLE,
        *owned(TABLE),
        sa.Column("secret_hash", sa.String(64), nullable=False),
        sa.Column("token_id", BIG, nullable=False),
        sa.Column("kind", sa.String(8), nullable=False),
        sa.Column("resource", sa.String(512), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("redirect", sa.String(2000)),
        sa.Column("challenge", sa.String(64)),
        sa.Column("created_at", INSTANT, nullable=False),
        sa.Column("expires_at", INSTANT, nullable=False),
        sa.Column("used_at", INSTANT),
        sa.PrimaryKeyConstraint("organization_id", "secret_hash", name=f"pk_{TABLE}"),
        pair(TABLE, "token_id", "api_tokens"),
        sa.CheckConstraint("kind IN ('CODE', 'ACCESS', 'REFRESH')", name=f"ck_{TABLE}_kind_word"),
        sqlite_with_rowid=False,
    )
    op.create_index(f"ix_{TABLE}_token_id", TABLE, ["organization_id", "token_id"])
    if not is_sqlite():
        protect(TABLE)


def downgrade() -> None:
    op.drop_table(TABLE)
    op.drop_column("api_tokens", "client_id")
