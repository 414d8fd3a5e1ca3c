"""Imports of bank files, and the verdict on each of their lines."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.sessions import Base
from webapp.ledger.codes import IMPORT_STATUSES, VERDICTS
from webapp.models.base import (
    BigId,
    Numbered,
    OrganizationKeyed,
    Organized,
    created,
    foreign_key,
    keyed_by,
    numbered,
    one_of,
    updated,
)


class Import(Numbered, Base):
    """One bank file: previewed, imported or refused; `accounts` is its answer per account (behaviour.md 2).

    `reading` is how it was read: the `mapping` that was chosen, where it was `remembered` from (a sentence), and
    for a refused file the place or the question that `refused` it. `file_id` is the file itself, among the stored ones,
    once it was imported; `kept_file` the name under which a preview waits.
    """

    __tablename__ = "imports"
    __table_args__ = numbered(
        one_of("status", *IMPORT_STATUSES),
        foreign_key("feed_account_id", "feed_accounts"),
        foreign_key("file_id", "stored_files"),
        sa.Index("ix_imports_file", "organization_id", "file_id"),
    )

    file_name: Mapped[str] = mapped_column(sa.String(255))
    format: Mapped[str | None] = mapped_column(sa.String(16))
    status: Mapped[str] = mapped_column(sa.String(16))
    error: Mapped[str] = mapped_column(sa.Text, default="")
    warnings: Mapped[list[str]] = mapped_column(sa.JSON, default=list)
    accounts: Mapped[list[dict[str, Any]]] = mapped_column(sa.JSON, default=list)
    reading: Mapped[dict[str, Any]] = mapped_column(sa.JSON, default=dict)
    sha256: Mapped[str] = mapped_column(sa.String(64))
    kept_file: Mapped[str | None] = mapped_column(sa.String(80))
    file_id: Mapped[int | None] = mapped_column(BigId)
    feed_account_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()


class BulkTurn(OrganizationKeyed, Base):
    """A long import that is being written: its lines are added to the kept sums, all at once, when this row goes.

    No transaction ends with one: a deferred key leads to import 0, which there never is.
    """

    __tablename__ = "bulk_turns"
    __table_args__ = (
        sa.CheckConstraint("no_import_id = 0", name="ends"),
        foreign_key("import_id", "imports"),
        sa.ForeignKeyConstraint(
            ["organization_id", "no_import_id"],
            ["imports.organization_id", "imports.id"],
            deferrable=True,
            initially="DEFERRED",
        ),
    )

    import_id: Mapped[int] = mapped_column(BigId, primary_key=True, autoincrement=False)
    no_import_id: Mapped[int] = mapped_column(BigId, default=0)


class ImportLine(Organized, Base):
    """The verdict on one line of an imported file; a skipped row keeps its text."""

    __tablename__ = "import_lines"
    __table_args__ = (
        one_of("verdict", *VERDICTS),
        foreign_key("import_id", "imports"),
        foreign_key("transaction_id", "transactions"),
        sa.Index("ix_import_lines_transaction", "transaction_id"),
        {"sqlite_with_rowid": False},
    )
    __mapper_args__ = keyed_by("organization_id", "import_id", "position")

    import_id: Mapped[int] = mapped_column(BigId, primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    row: Mapped[int]
    verdict: Mapped[str] = mapped_column(sa.String(16))
    reason: Mapped[str] = mapped_column(sa.Text, default="")
    text: Mapped[str | None] = mapped_column(sa.Text)
    transaction_id: Mapped[int | None] = mapped_column(BigId)


class ColumnMapping(Numbered, Base):
    """How the columns of a table are read for a feed account, while the table keeps its layout."""

    __tablename__ = "column_mappings"
    __table_args__ = numbered(
        foreign_key("feed_account_id", "feed_accounts"),
        sa.UniqueConstraint("organization_id", "feed_account_id", "layout"),
        sa.Index("ix_column_mappings_layout", "organization_id", "layout"),
    )

    feed_account_id: Mapped[int] = mapped_column(BigId)
    layout: Mapped[str] = mapped_column(sa.String(64))
    mapping: Mapped[dict[str, Any]] = mapped_column(sa.JSON)
    names: Mapped[list[str]] = mapped_column(sa.JSON, default=list)
    created_at: Mapped[datetime] = created()
    updated_at: Mapped[datetime] = updated()
