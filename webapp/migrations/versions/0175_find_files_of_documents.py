"""Find the further files of an organization's documents in their order."""

from alembic import op

revision = "0175"
down_revision = "0161"
branch_labels = None
depends_on = None

NAME, TABLE = "ix_document_files_document", "document_files"


def upgrade() -> None:
    op.drop_index(NAME, TABLE)
    op.create_index(NAME, TABLE, ["organization_id", "document_id"])


def downgrade() -> None:
    op.drop_index(NAME, TABLE)
    op.create_index(NAME, TABLE, ["document_id"])
