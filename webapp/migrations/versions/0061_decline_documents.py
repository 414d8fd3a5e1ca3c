"""Keep which documents do not belong to which lines and entries, and find documents by what is due."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.migrations.numbered import BIG, is_sqlite, numbered
from webapp.migrations.policies import protect

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

TABLE = "declined_relations"
NAMED = (
    ("document_id", "documents"),
    ("transaction_id", "transactions"),
    ("journal_entry_id", "journal_entries"),
)


def upgrade() -> None:
    op.create_table(
        TABLE,
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG, nullable=True),
        sa.Column("journal_entry_id", BIG, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *numbered(TABLE),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)", name=op.f(f"ck_{TABLE}_one_of_two")
        ),
        *(
            sa.ForeignKeyConstraint(
                ["organization_id", column],
                [f"{table}.organization_id", f"{table}.id"],
                name=op.f(f"fk_{TABLE}_organization_id_{column}"),
                ondelete="RESTRICT" if table == "documents" else "CASCADE",
            )
            for column, table in NAMED
        ),
        sqlite_autoincrement=True,
    )
    for name in ("transaction", "journal_entry"):
        is_named = sa.text(f"{name}_id IS NOT NULL")
        op.create_index(
            f"uq_{TABLE}_{name}",
            TABLE,
            ["organization_id", f"{name}_id", "document_id"],
            unique=True,
            sqlite_where=is_named,
            postgresql_where=is_named,
        )
    op.create_index(f"ix_{TABLE}_document", TABLE, ["document_id"])
    has_due = sa.text("due_minor IS NOT NULL")
    op.create_index(
        "ix_documents_due",
        "documents",
        ["organization_id", "due_minor"],
        sqlite_where=has_due,
        postgresql_where=has_due,
    )
    if not is_sqlite():
        protect(TABLE)


def downgrade() -> None:
    op.drop_index("ix_documents_due", "documents")
    op.drop_table(TABLE)
