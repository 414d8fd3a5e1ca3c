"""Attach the bank's statement, a document, to its reconciliation."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.migrations.numbered import BIG, is_sqlite, numbered
from webapp.migrations.policies import protect

revision = "0068"
down_revision = "0067"
branch_labels = None
depends_on = None

TABLE = "statement_documents"
NAMED = (("reconciliation_id", "reconciliations", "CASCADE"), ("document_id", "documents", "RESTRICT"))


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("reconciliation_id", BIG, nullable=False),
        sa.Column("document_id", BIG, nullable=False),
        *numbered(TABLE),
        *(
            sa.ForeignKeyConstraint(
                ["organization_id", column],
                [f"{table}.organization_id", f"{table}.id"],
                name=op.f(f"fk_{TABLE}_organization_id_{column}"),
                ondelete=ondelete,
            )
            for column, table, ondelete in NAMED
        ),
        sa.UniqueConstraint(
            "organization_id",
            "reconciliation_id",
            name=op.f(f"uq_{TABLE}_organization_id_reconciliation_id"),
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(f"ix_{TABLE}_document", TABLE, ["document_id"])
    op.create_index(f"ix_{TABLE}_reconciliation", TABLE, ["reconciliation_id"])
    if not is_sqlite():
        protect(TABLE)


def downgrade() -> None:
    op.drop_table(TABLE)
