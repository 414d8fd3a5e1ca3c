"""Keep which of the invoices in its file a document is: an Italian file may have several."""

import sqlalchemy as sa
from alembic import op

from webapp.migrations.tables import where

revision = "0101"
down_revision = "0096"
branch_labels = None
depends_on = None

HAS_FILE = "sha256 IS NOT NULL"
DOCUMENTS = sa.table(
    "documents",
    sa.column("file_part", sa.Integer),
    sa.column("sha256", sa.String),
    sa.column("file_type", sa.String),
    sa.column("file_size", sa.Integer),
)


def upgrade() -> None:
    op.add_column("documents", sa.Column("file_part", sa.Integer(), server_default="1", nullable=False))
    op.drop_index("uq_documents_file", "documents")
    columns = ["organization_id", "sha256", "file_part"]
    op.create_index("uq_documents_file", "documents", columns, unique=True, **where(HAS_FILE))


def downgrade() -> None:
    op.drop_index("uq_documents_file", "documents")
    # The file stays with the document of its first invoice.
    without = {"sha256": None, "file_type": None, "file_size": None}
    op.execute(sa.update(DOCUMENTS).where(DOCUMENTS.c.file_part > 1).values(without))
    op.create_index(
        "uq_documents_file", "documents", ["organization_id", "sha256"], unique=True, **where(HAS_FILE)
    )
    op.drop_column("documents", "file_part")
