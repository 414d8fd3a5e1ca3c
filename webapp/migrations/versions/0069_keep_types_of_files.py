"""Keep the longer types of files on PostgreSQL, which refused workbooks: theirs has 65 characters.

SQLite holds no text to the length of its column, and keeps its table as it is.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0069"
down_revision = "0068"
branch_labels = None
depends_on = None

TABLE, COLUMN = "stored_files", "file_type"


def upgrade() -> None:
    if is_postgresql():
        op.alter_column(TABLE, COLUMN, type_=sa.String(255), existing_nullable=False)


def downgrade() -> None:
    if is_postgresql():
        op.alter_column(
            TABLE,
            COLUMN,
            type_=sa.String(64),
            existing_nullable=False,
            postgresql_using=f"left({COLUMN}, 64)",
        )


def is_postgresql() -> bool:
    return op.get_bind().dialect.name == "postgresql"
