"""The texts by which documents are found: PostgreSQL indexes them itself, on SQLite triggers do."""

from __future__ import annotations

from typing import Final

import sqlalchemy as sa

from webapp.models import Document

# As in migrations/sql/sqlite/0082_words.sql.
_TEXTS: Final = tuple(f"coalesce({each}, '')" for each in ("number", "sender", "file_name", "text"))
_AMOUNTS: Final = tuple(
    f"coalesce(char(57345) || abs({each}) || char(57345), '')"
    for each in ("net_minor", "tax_minor", "total_minor")
)
_INDEX: Final = sa.table("document_texts", sa.column("rowid"), sa.column("texts"))
_ALL: Final = sa.literal_column(" || char(10) || ".join((*_TEXTS, *_AMOUNTS)), sa.Text())


def index(connection: sa.Connection) -> None:
    """Let all documents be found that were written without triggers, where none was indexed before."""
    if connection.dialect.name == "sqlite":
        texts = sa.select(Document.id, _ALL).order_by(Document.id)
        connection.execute(sa.insert(_INDEX).from_select(["rowid", "texts"], texts))
