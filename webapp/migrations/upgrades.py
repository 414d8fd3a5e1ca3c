"""Running migrations with Alembic, all or nothing; what a book-keeping upgrade compares before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory

from webapp.database.postgresql import analyze
from webapp.database.roles import grant
from webapp.migrations import facts, revisions

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


def proven(connection: sa.Connection, *, show: Callable[[str], None] = _to_nobody) -> list[facts.Difference]:
    """Bring the books to this version's revision in an open transaction, and list what it changed and should not."""
    before_revision = str(connection.scalar(revisions.STORED))
    kept = facts.columns(connection, changes_since(before_revision))
    show("noting the facts before")
    before = facts.of_books(connection, before_revision, kept)
    _step(connection, "head", command.upgrade, show)
    show("comparing the facts after")
    after = facts.of_books(connection, str(connection.scalar(revisions.STORED)), kept)
    return facts.differences(before, after)


def changes_since(revision: str) -> Sequence[str]:
    """List the tables and columns that later migrations say they change."""
    script = ScriptDirectory.from_config(_config())
    steps = [each for each in script.walk_revisions() if each.revision > revision]
    return [name for each in steps for name in getattr(each.module, "changes", ())]


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.set_main_option("version_locations", str(revisions.VERSIONS))
    return config


def _run(engine: sa.Engine, revision: str, act: object, show: Callable[[str], None] = _to_nobody) -> None:
    with engine.connect() as connection:
        _step(connection, revision, act, show)
        connection.commit()
        # The connection has been told to look away from foreign keys; it must not serve anybody else.
        connection.invalidate()


def _step(connection: sa.Connection, revision: str, act: object, show: Callable[[str], None]) -> None:
    config = _config()
    steps: list[str] = []

    def note(step: MigrationInfo, **_: object) -> None:
        steps.append(step.up_revision_id or "")
        show(f"migrating: {steps[-1]} is done")

    config.attributes |= {"connection": connection, "on_version_apply": note}
    act(config, revision)  # type: ignore[operator]
    if steps:
        analyze(connection)
    # After it: autovacuum would wait for the end of a grant on a table that it holds, and ANALYZE for autovacuum.
    if act is command.upgrade:
        grant(connection)
