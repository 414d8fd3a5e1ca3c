"""Running migrations with Alembic, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import command
from alembic.config import Config

from webapp.database.postgresql import analyze
from webapp.database.roles import grant

if TYPE_CHECKING:
    from alembic.runtime.migration import MigrationInfo


def _to_nobody(_text: str) -> None:
    """Take the progress where nobody looks."""


def upgrade(engine: sa.Engine, revision: str = "head", *, show: Callable[[str], None] = _to_nobody) -> None:
    """Bring the books to a revision, all or nothing; `show` takes each step as a text."""
    _run(engine, revision, command.upgrade, show)


def downgrade(engine: sa.Engine, revision: str = "base") -> None:
    """Take the books back to a revision, all or nothing."""
    _run(engine, revision, command.downgrade)


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    return config


def _run(engine: sa.Engine, revision: str, act: object, show: Callable[[str], None] = _to_nobody) -> None:
    config = _config()
    steps: list[str] = []

    def note(step: MigrationInfo, **_: object) -> None:
        steps.append(step.up_revision_id or "")
        show(f"migrating: {steps[-1]} is done")

    with engine.connect() as connection:
        config.attributes |= {"connection": connection, "on_version_apply": note}
        act(config, revision)  # type: ignore[operator]
        if steps:
            analyze(connection)
        # After it: autovacuum would wait for the end of a grant on a table that it holds, and ANALYZE for autovacuum.
        if act is command.upgrade:
            grant(connection)
        connection.commit()
        # The connection has been told to look away from foreign keys; it must not serve anybody else.
        connection.invalidate()
