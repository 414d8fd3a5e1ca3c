"""The words by which lines are found: PostgreSQL's index reads them itself, SQLite's is given each new line."""

from typing import Final

import sqlalchemy as sa

from webapp.models import Transaction
from webapp.models.base import table_of

# As in migrations/sql/sqlite/0230_words.sql, whose triggers follow changed and deleted lines.
_TEXT: Final = """
    description || ' ' || coalesce(counterparty, '') || ' ' || coalesce(reference, '') || ' ' || coalesce(iban, '')
    || ' ' || char(57345) || abs(amount_minor) || ' ' || char(57344) || replace(organization_id, '_', '')"""
_WORDS: Final = sa.table("line_words", sa.column("rowid"), sa.column("words"))
_LINE: Final = table_of(Transaction)


def index(connection: sa.Connection, *conditions: sa.ColumnElement[bool]) -> None:
    """Let new lines be found: those of the transactions table that fit some conditions, all at once."""
    if connection.dialect.name == "sqlite":
        new = sa.select(_LINE.c.id, sa.literal_column(_TEXT)).where(*conditions).order_by(_LINE.c.id)
        connection.execute(sa.insert(_WORDS).from_select(["rowid", "words"], new))
