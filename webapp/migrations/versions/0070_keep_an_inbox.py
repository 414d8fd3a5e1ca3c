"""Keep files that wait for a person, and the folder whose files are taken for an organization."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.migrations.numbered import BIG, is_sqlite, numbered
from webapp.migrations.policies import protect

revision = "0070"
down_revision = "0069"
branch_labels = None
depends_on = None

TABLE = "inbox_files"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("file_name", sa.String(length=255), nullable=False),
        sa.Column("file_type", sa.String(length=255), nullable=False),
        sa.Column("file_size", sa.BigInteger(), nullable=False),
        sa.Column("code", sa.String(length=40), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("document_id", BIG, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *numbered(TABLE),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name=op.f(f"fk_{TABLE}_organization_id_sha256"),
            ondelete="RESTRICT",
        ),
        sa.UniqueConstraint("organization_id", "sha256", name=op.f(f"uq_{TABLE}_organization_id_sha256")),
        sqlite_autoincrement=True,
    )
    op.add_column("organizations", sa.Column("drop_folder", sa.Text(), nullable=True))
    if not is_sqlite():
        protect(TABLE)


def downgrade() -> None:
    op.drop_column("organizations", "drop_folder")
    op.drop_table(TABLE)
