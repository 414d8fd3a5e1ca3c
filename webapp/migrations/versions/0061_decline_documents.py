"""Keep which documents do not belong to which lines and entries, and find documents by what is due."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from webapp.migrations.policies import protect

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
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
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)", name=op.f(f"ck_{TABLE}_one_of_two")
        ),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f(f"fk_{TABLE}_organization_id")
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
        *keys(),
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


def keys() -> list[sa.schema.SchemaItem]:
    """Give the keys of the table: on PostgreSQL the primary one is the one that other tables name."""
    name = op.f(f"pk_{TABLE}")
    if not is_sqlite():
        return [sa.PrimaryKeyConstraint("organization_id", "id", name=name)]
    own = sa.UniqueConstraint("organization_id", "id", name=op.f(f"uq_{TABLE}_organization_id_id"))
    return [sa.PrimaryKeyConstraint("id", name=name), own]


def is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"
