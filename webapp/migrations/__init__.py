"""Migrations: the shape of the books, step by step, in both directions."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory


def upgrade(engine: sa.Engine, revision: str = "head") -> None:
    """Bring the books to a revision, all or nothing."""
    _run(engine, revision, command.upgrade)


def downgrade(engine: sa.Engine, revision: str = "base") -> None:
    """Take the books back to a revision, all or nothing."""
    _run(engine, revision, command.downgrade)


def current_revision(engine: sa.Engine) -> str | None:
    """Tell which revision the books are at; none when there are no books yet."""
    with engine.connect().execution_options(read_only=True) as connection:
        return MigrationContext.configure(connection).get_current_revision()


def head_revision() -> str | None:
    """Tell which revision this program expects."""
    return ScriptDirectory.from_config(_config()).get_current_head()


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def _run(engine: sa.Engine, revision: str, act: object) -> None:
    config = _config()
    with engine.connect() as connection:
        config.attributes["connection"] = connection
        act(config, revision)  # type: ignore[operator]
        connection.commit()
        # The connection has been told to look away from foreign keys; it must not serve anybody else.
        connection.invalidate()
