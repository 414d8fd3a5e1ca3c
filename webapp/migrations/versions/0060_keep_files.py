"""Keep files by their digest, once in an organization: those of documents, bank files and pushed batches.

The files of documents get their new names beside the old ones, as links: whichever way the migration ends, the books
name files that are there. What is left under an old name goes with the next sweep.
"""

from __future__ import annotations

import gzip
import os
import secrets
from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from pathlib import Path

import sqlalchemy as sa
from alembic import op
from flask import current_app

from webapp.migrations.policies import protect

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
# A rebuilt table would forget that it never gives an id out twice.
AUTOINCREMENT = {"sqlite_autoincrement": True}
NAMED_BY_DOCUMENTS = """
    CREATE FUNCTION named_by_documents(names text[]) RETURNS SETOF text
    LANGUAGE sql SECURITY DEFINER SET search_path = {schema}, pg_temp AS $$
        SELECT kept_file FROM documents WHERE kept_file = ANY (names) $$"""
TO_FILES = {"imports": "ix_imports_file", "feed_pushes": "ix_feed_pushes_file"}
KEPT_OR_THROWN_AWAY = (
    "CASE WHEN thrown_away_at IS NULL THEN (kept_name IS NULL) <> (content IS NULL)"
    " ELSE kept_name IS NULL AND content IS NULL END"
)
HAS_DIGEST = "(kept_file IS NULL) = (sha256 IS NULL)"


def upgrade() -> None:
    op.create_table(
        "stored_files",
        sa.Column("sha256", sa.String(length=64), nullable=False),
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("file_type", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("is_compressed", sa.Boolean(), nullable=False),
        sa.Column("kept_name", sa.String(length=80), nullable=True),
        sa.Column("content", sa.LargeBinary(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("thrown_away_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("id", BIG, autoincrement=True, nullable=False),
        sa.Column("organization_id", sa.String(length=40), nullable=False),
        sa.CheckConstraint(KEPT_OR_THROWN_AWAY, name=op.f("ck_stored_files_kept_or_thrown_away")),
        sa.ForeignKeyConstraint(
            ["organization_id"], ["organizations.id"], name=op.f("fk_stored_files_organization_id")
        ),
        primary_key(),
        sa.UniqueConstraint("organization_id", "sha256", name=op.f("uq_stored_files_organization_id_sha256")),
        *own_key(),
        sqlite_autoincrement=True,
    )
    keep_files_of_documents()
    with triggers_aside():
        name_stored_files()
    op.create_index(
        "ix_feed_pushes_received", "feed_pushes", ["organization_id", "feed_account_id", "received_at"]
    )
    if not is_sqlite():
        protect("stored_files")
        op.execute("DROP FUNCTION named_by_documents")


def name_stored_files() -> None:
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        batch.drop_constraint(op.f("ck_documents_file_digest"), type_="check")
        batch.drop_column("kept_file")
        batch.create_foreign_key(
            op.f("fk_documents_organization_id_sha256"),
            "stored_files",
            ["organization_id", "sha256"],
            ["organization_id", "sha256"],
            ondelete="RESTRICT",
        )
    for table, index in TO_FILES.items():
        with op.batch_alter_table(table, table_kwargs=AUTOINCREMENT) as batch:
            batch.add_column(sa.Column("file_id", BIG, nullable=True))
            batch.create_foreign_key(
                op.f(f"fk_{table}_organization_id_file_id"),
                "stored_files",
                ["organization_id", "file_id"],
                ["organization_id", "id"],
                ondelete="RESTRICT",
            )
        op.create_index(index, table, ["organization_id", "file_id"])


def downgrade() -> None:
    op.drop_index("ix_feed_pushes_received", "feed_pushes")
    with triggers_aside():
        name_files_themselves()
    op.drop_table("stored_files")
    if not is_sqlite():
        schema = op.get_bind().scalar(sa.text("SELECT quote_ident(current_schema())"))
        op.get_bind().exec_driver_sql(NAMED_BY_DOCUMENTS.format(schema=schema))
        op.execute("REVOKE ALL ON FUNCTION named_by_documents FROM PUBLIC")


def name_files_themselves() -> None:
    for table, index in TO_FILES.items():
        op.drop_index(index, table)
        with op.batch_alter_table(table, table_kwargs=AUTOINCREMENT) as batch:
            batch.drop_constraint(op.f(f"fk_{table}_organization_id_file_id"), type_="foreignkey")
            batch.drop_column("file_id")
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        batch.drop_constraint(op.f("fk_documents_organization_id_sha256"), type_="foreignkey")
        batch.add_column(sa.Column("kept_file", sa.String(length=32), nullable=True))
    name_files_of_documents()
    with op.batch_alter_table("documents", table_kwargs=AUTOINCREMENT) as batch:
        batch.create_check_constraint(op.f("ck_documents_file_digest"), HAS_DIGEST)


def triggers_aside() -> AbstractContextManager[None]:
    """Put the triggers of SQLite aside while tables that they read are made anew."""
    exchange = import_module("webapp.migrations.versions.0032_realise_pairs")
    aside: AbstractContextManager[None] = exchange.without_triggers() if is_sqlite() else nullcontext()
    return aside


def is_sqlite() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def primary_key() -> sa.PrimaryKeyConstraint:
    columns = ["id"] if is_sqlite() else ["organization_id", "id"]
    return sa.PrimaryKeyConstraint(*columns, name=op.f("pk_stored_files"))


def own_key() -> list[sa.UniqueConstraint]:
    """On PostgreSQL the primary key is the one that other tables name."""
    if not is_sqlite():
        return []
    return [sa.UniqueConstraint("organization_id", "id", name=op.f("uq_stored_files_organization_id_id"))]


def keep_files_of_documents() -> None:
    """Give each document's file a row, and its name by its digest."""
    bind = op.get_bind()
    rows = bind.execute(
        sa.text(
            "SELECT organization_id, kept_file, sha256, file_name, file_type, file_size, created_at"
            " FROM documents WHERE kept_file IS NOT NULL ORDER BY id"
        ).columns(created_at=sa.DateTime(timezone=True))
    ).all()
    folders = set()
    stored = []
    for row in rows:
        name = f"{row.sha256}-{secrets.token_hex(4)}"
        path = files_of(row.organization_id) / name[:2] / name
        folders |= link(instance() / "documents" / row.kept_file, path)
        stored.append(
            {
                "organization_id": row.organization_id,
                "sha256": row.sha256,
                "name": row.file_name or "document",
                "file_type": row.file_type or "application/octet-stream",
                "size": row.file_size or 0,
                "is_compressed": False,
                "kept_name": name,
                "created_at": row.created_at,
            }
        )
    if stored:
        bind.execute(sa.insert(sa.Table("stored_files", sa.MetaData(), autoload_with=bind)), stored)
    flush(folders)


def name_files_of_documents() -> None:
    """Give each document's file a name of its own again."""
    bind = op.get_bind()
    rows = bind.execute(
        sa.text(
            "SELECT d.id, d.organization_id, s.kept_name, s.content, s.is_compressed FROM documents d JOIN stored_files s"
            " ON s.organization_id = d.organization_id AND s.sha256 = d.sha256 ORDER BY d.id"
        )
    ).all()
    folders = set()
    for row in rows:
        name = secrets.token_hex(16)
        if row.kept_name is not None:
            path = files_of(row.organization_id) / row.kept_name[:2] / row.kept_name
            folders |= link(path, instance() / "documents" / name, is_compressed=row.is_compressed)
        elif row.content is not None:
            path = instance() / "documents" / name
            folders |= write(path, gzip.decompress(row.content) if row.is_compressed else row.content)
        bind.execute(
            sa.text("UPDATE documents SET kept_file = :name WHERE organization_id = :of AND id = :id"),
            {"name": name, "of": row.organization_id, "id": row.id},
        )
    flush(folders)


def make_folder(path: Path) -> None:
    """Make a folder that only its owner may enter, with those above it: `parents` would give these the default mode."""
    if path.is_dir():
        return
    make_folder(path.parent)
    path.mkdir(mode=0o700, exist_ok=True)
    flush({path.parent})


def link(path: Path, other: Path, *, is_compressed: bool = False) -> set[Path]:
    """Give a file another name, and answer the folders to flush; one that is missing stays so."""
    if not path.is_file():
        return set()
    make_folder(other.parent)
    if is_compressed:
        with gzip.open(path) as packed:
            return write(other, packed.read())
    other.hardlink_to(path)
    return {other.parent}


def write(path: Path, data: bytes) -> set[Path]:
    """Write a file that only its owner may read, and answer the folders to flush."""
    make_folder(path.parent)
    path.touch(mode=0o600)
    with path.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    return {path.parent}


def flush(folders: set[Path]) -> None:
    for folder in folders:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def files_of(organization_id: str) -> Path:
    return instance() / "files" / organization_id


def instance() -> Path:
    return Path(current_app.instance_path)
