"""Give documents further files, as an invoice may come as pages and as XML, and find them by their day."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.migrations.numbered import BIG, is_sqlite, numbered
from webapp.migrations.policies import protect

revision = "0067"
down_revision = "0066"
branch_labels = None
depends_on = None

TABLE = "document_files"


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("file_name", sa.String(length=255), nullable=False),
        sa.Column("file_type", sa.String(length=64), nullable=False),
        sa.Column("file_size", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *numbered(TABLE),
        sa.ForeignKeyConstraint(
            ["organization_id", "document_id"],
            ["documents.organization_id", "documents.id"],
            name=op.f(f"fk_{TABLE}_organization_id_document_id"),
            ondelete="RESTRICT",
        ),
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            name=op.f(f"fk_{TABLE}_organization_id_sha256"),
            ondelete="RESTRICT",
        ),
        sa.UniqueConstraint("organization_id", "sha256", name=op.f(f"uq_{TABLE}_organization_id_sha256")),
        sqlite_autoincrement=True,
    )
    op.create_index(f"ix_{TABLE}_document", TABLE, ["document_id"])
    op.create_index("ix_documents_issued", "documents", ["organization_id", "issued_on", "id"])
    if not is_sqlite():
        protect(TABLE)


def downgrade() -> None:
    op.drop_index("ix_documents_issued", "documents")
    op.drop_table(TABLE)
