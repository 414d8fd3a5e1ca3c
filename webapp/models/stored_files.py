"""Files that stay as evidence: those of documents, the bank's own files, and the batches that feeds pushed."""

from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from webapp.database.column_types import Instant
from webapp.database.sessions import Base
from webapp.models.base import BigId, Numbered, created, numbered, partial_index


class StoredFile(Numbered, Base):
    """A file by the SHA-256 of its bytes, once in an organization however often it came.

    `kept_name` is the name of the file in the instance folder; a small body of a push is in `content` instead. Both are
    none since it was thrown away; the row stays, so that what names the digest can say what became of it. `size` and
    `sha256` are of the bytes that came, `is_compressed` whether they are kept as gzip writes them.
    """

    __tablename__ = "stored_files"
    __table_args__ = numbered(
        sa.UniqueConstraint("organization_id", "sha256"),
        sa.CheckConstraint(
            "CASE WHEN thrown_away_at IS NULL THEN (kept_name IS NULL) <> (content IS NULL)"
            " ELSE kept_name IS NULL AND content IS NULL END",
            name="kept_or_thrown_away",
        ),
        partial_index(
            "ix_stored_files_came", "organization_id", "created_at", where="thrown_away_at IS NULL"
        ),
    )

    sha256: Mapped[str] = mapped_column(sa.String(64))
    name: Mapped[str] = mapped_column(sa.String(255))
    # RFC 6838 allows 127 characters for each of its two parts.
    file_type: Mapped[str] = mapped_column(sa.String(64).with_variant(sa.String(255), "postgresql"))
    size: Mapped[int] = mapped_column(sa.BigInteger)
    is_compressed: Mapped[bool]
    kept_name: Mapped[str | None] = mapped_column(sa.String(80))
    content: Mapped[bytes | None] = mapped_column(sa.LargeBinary, deferred=True)
    created_at: Mapped[datetime] = created()
    thrown_away_at: Mapped[datetime | None] = mapped_column(Instant)


class InboxFile(Numbered, Base):
    """A file that came and waits for a person: its `question` says what has to be answered, `code` in a word.

    It is a row as long as nobody deletes it; once a document or an import has the file, it waits no longer.
    """

    __tablename__ = "inbox_files"
    __table_args__ = numbered(
        sa.ForeignKeyConstraint(
            ["organization_id", "sha256"],
            ["stored_files.organization_id", "stored_files.sha256"],
            ondelete="RESTRICT",
        ),
        sa.UniqueConstraint("organization_id", "sha256"),
    )

    sha256: Mapped[str] = mapped_column(sa.String(64))
    file_name: Mapped[str] = mapped_column(sa.String(255))
    file_type: Mapped[str] = mapped_column(sa.String(255))
    file_size: Mapped[int] = mapped_column(sa.BigInteger)
    code: Mapped[str] = mapped_column(sa.String(40))
    question: Mapped[str] = mapped_column(sa.Text)
    document_id: Mapped[int | None] = mapped_column(BigId)
    created_at: Mapped[datetime] = created()
