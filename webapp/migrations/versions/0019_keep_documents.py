"""Keep documents with their files, what rules set on them, and the lines and entries that they belong to."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# A rebuilt table would forget that it never gives an id out twice.
AUTOINCREMENT = {"sqlite_autoincrement": True}
KINDS = "'SET_CURRENCY', 'SET_ACCOUNT', 'SET_MERCHANT', 'SET_PROJECT'"
CHOICES = (("account_id", "accounts"), ("org_merchant_id", "merchants"), ("project_id", "projects"))
COLUMNS = (
    ("net_minor", sa.BigInteger()),
    ("tax_minor", sa.BigInteger()),
    ("given_currency", sa.String(length=3)),
    ("text", sa.Text()),
    *((name, BIG) for name, _ in CHOICES),
    ("kept_file", sa.String(length=32)),
    ("file_type", sa.String(length=64)),
    ("file_size", sa.Integer()),
    ("sha256", sa.String(length=64)),
)
CHECKS = (
    ("ck_documents_file_digest", "(kept_file IS NULL) = (sha256 IS NULL)"),
    (
        "ck_documents_amounts_currency",
        "currency IS NOT NULL OR (net_minor IS NULL AND tax_minor IS NULL AND total_minor IS NULL)",
    ),
)


def upgrade() -> None:
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        for name, type_ in COLUMNS:
            batch.add_column(sa.Column(name, type_, nullable=True))
        batch.add_column(sa.Column("chosen", sa.JSON(), nullable=False, server_default="[]"))
        for name, condition in CHECKS:
            batch.create_check_constraint(op.f(name), condition)
        for column, table in CHOICES:
            batch.create_foreign_key(
                op.f(f"fk_documents_organization_id_{column}"),
                table,
                ["organization_id", column],
                ["organization_id", "id"],
                ondelete="RESTRICT",
            )
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        batch.alter_column("chosen", existing_type=sa.JSON(), existing_nullable=False, server_default=None)
    has_file = sa.text("sha256 IS NOT NULL")
    op.create_index(
        "uq_documents_file",
        "documents",
        ["organization_id", "sha256"],
        unique=True,
        sqlite_where=has_file,
        postgresql_where=has_file,
    )
    _relate()
    _note_settings()


def downgrade() -> None:
    op.drop_table("document_settings")
    op.drop_table("document_relations")
    op.drop_index("uq_documents_file", "documents")
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        for column, _ in CHOICES:
            batch.drop_constraint(op.f(f"fk_documents_organization_id_{column}"), type_="foreignkey")
        for name, _ in CHECKS:
            batch.drop_constraint(op.f(name), type_="check")
        for name, _ in COLUMNS:
            batch.drop_column(name)
        batch.drop_column("chosen")


def _relate() -> None:
    op.create_table(
        "document_relations",
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("transaction_id", BIG, nullable=True),
        sa.Column("journal_entry_id", BIG, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        *_own("document_relations"),
        sa.CheckConstraint(
            "(transaction_id IS NULL) <> (journal_entry_id IS NULL)",
            name=op.f("ck_document_relations_one_of_two"),
        ),
        _key("document_relations", "document_id", "documents"),
        _key("document_relations", "transaction_id", "transactions", ondelete="CASCADE"),
        _key("document_relations", "journal_entry_id", "journal_entries", ondelete="CASCADE"),
        sa.UniqueConstraint("organization_id", "id", name=op.f("uq_document_relations_organization_id_id")),
        sqlite_autoincrement=True,
    )
    for name in ("transaction", "journal_entry"):
        is_named = sa.text(f"{name}_id IS NOT NULL")
        op.create_index(
            f"uq_document_relations_{name}",
            "document_relations",
            [f"{name}_id", "document_id"],
            unique=True,
            sqlite_where=is_named,
            postgresql_where=is_named,
        )
    op.create_index("ix_document_relations_document", "document_relations", ["document_id"])


def _note_settings() -> None:
    op.create_table(
        "document_settings",
        sa.Column("document_id", BIG, nullable=False),
        sa.Column("run_id", BIG, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("rule_id", BIG, nullable=False),
        sa.Column("rule_version", sa.Integer(), nullable=False),
        sa.Column("value", sa.String(length=20), nullable=False),
        sa.Column("before", sa.String(length=20), nullable=True),
        sa.Column("superseded_by", sa.String(length=40), nullable=True),
        *_own("document_settings"),
        sa.CheckConstraint(f"kind IN ({KINDS})", name=op.f("ck_document_settings_kind_word")),
        _key("document_settings", "document_id", "documents"),
        _key("document_settings", "run_id", "rule_runs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_document_settings_document", "document_settings", ["document_id"])
    op.create_index("ix_document_settings_run", "document_settings", ["run_id", "document_id"])


def _own(table: str) -> tuple[sa.schema.SchemaItem, ...]:
    """Give what every table of an organization has: ids of its own, and whose its rows are."""
    return (
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f(f"pk_{table}")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f(f"fk_{table}_organization_id")
        ),
    )


def _key(table: str, column: str, other: str, *, ondelete: str = "RESTRICT") -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["organization_id", column],
        [f"{other}.organization_id", f"{other}.id"],
        name=op.f(f"fk_{table}_organization_id_{column}"),
        ondelete=ondelete,
    )
