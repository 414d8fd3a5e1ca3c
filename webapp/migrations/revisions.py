"""Which revision the books are at, and which one this program expects: asked at every start, without Alembic."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import sqlalchemy as sa

VERSIONS: Final = Path(__file__).parent / "versions"
# Where Alembic keeps the revision: https://alembic.sqlalchemy.org/en/latest/api/runtime.html
TABLE: Final = "alembic_version"
STORED: Final = sa.text(f"SELECT version_num FROM {TABLE}")  # noqa: S608  (a constant)


def current_revision(engine: sa.Engine) -> str | None:
    """Tell which revision the books are at; none when there are no books yet."""
    with engine.connect().execution_options(read_only=True) as connection:
        return connection.scalar(STORED) if sa.inspect(connection).has_table(TABLE) else None


def head_revision() -> str:
    """Tell which revision this program expects: the last one, since their names begin with their numbers."""
    return max(path.name.partition("_")[0] for path in VERSIONS.glob("[0-9]*_*.py"))
