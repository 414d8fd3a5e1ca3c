"""The migration of the books to this program's revision, and their service."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Mapping

import click

from webapp.commands import demo_sign_in
from webapp.commands.books import application, require_revision, require_safe_role
from webapp.commands.progress import progress_line
from webapp.config import Settings, is_loopback, make_instance
from webapp.database.command_limits import unlimited
from webapp.database.postgresql import weaknesses
from webapp.database.roles import unbound
from webapp.database.sessions import db
from webapp.database.tenancy import maintenance
from webapp.migrations import revisions

log = logging.getLogger("tieout")


@click.command()
def serve() -> None:
    """Serve the books with gunicorn."""
    from webapp.server.serving import serve as serve_books  # noqa: PLC0415  (gunicorn is heavy, and needed here only)

    app = application(maintains=False)
    settings = app.config["SETTINGS"]
    with app.app_context():
        require_revision()
        require_safe_role()
        with db.engine.connect().execution_options(read_only=True) as connection:
            notes = [*weaknesses(connection).values(), *unused(settings, os.environ)]
        db.engine.dispose()
    serve_books(app, settings, lambda: say([*notes, *greeting(settings).splitlines()]))


def say(lines: Iterable[str]) -> None:
    """Write lines for a person in a terminal, or else into the log."""
    for line in lines:
        if sys.stderr.isatty():
            click.echo(line, err=True)
        else:
            log.info(line)


def unused(settings: Settings, environment: Mapping[str, str]) -> Iterator[str]:
    """Name what earlier versions needed and nothing uses any more."""
    names = [name for name in ("SECRET_KEY", "SECRET_KEY_FILE") if environment.get(name)]
    if names:
        yield f"{' and '.join(names)} can be unset: nothing is signed with it any more."
    if (path := settings.instance_path / "secret_key").exists():
        yield f"{path} can be deleted: nothing is signed with it any more."


def greeting(settings: Settings) -> str:
    """Write the address of the books, and on this machine the demo's sign-in."""
    lines = [f"Tieout serves {settings.address}"]
    sign_in = demo_sign_in.kept(settings.instance_path) if is_loopback(settings.host) else None
    if sign_in is not None:
        lines.append(f"The demo: sign in as {sign_in.email} with {sign_in.password}")
    return "\n".join(lines)


@click.command()
def migrate() -> None:
    """Migrate the database to the schema of this version."""
    from webapp.migrations.upgrades import upgrade  # noqa: PLC0415  (Alembic is heavy, and needed here only)

    app = application()
    make_instance(app.config["SETTINGS"].instance_path)
    with app.app_context(), unlimited(), maintenance():
        with progress_line() as show:
            upgrade(db.engine, show=show)
        click.echo(f"The books are at revision {revisions.current_revision(db.engine)}.", err=True)
        with db.engine.connect().execution_options(read_only=True) as connection:
            if (sentence := unbound(connection)) is not None:
                click.echo(sentence, err=True)
