"""The common parts of commands: the books of this installation, options and answers."""

import gc
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import click
import sqlalchemy as sa
from flask import Flask, current_app, has_app_context
from flask.globals import app_ctx

from webapp import books_alone
from webapp.commands.failures import FailedError
from webapp.config import Settings, UnsafeSettingError
from webapp.database.command_limits import unlimited
from webapp.database.roles import is_for_requests_only, refusal
from webapp.database.sessions import db, scope_session
from webapp.database.tenancy import maintenance
from webapp.migrations import revisions
from webapp.models import Organization
from webapp.services.audit import action_requests
from webapp.services.audit.act import Actor

JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON on standard output.")
ORGANIZATION = click.option(
    "--organization", "organization_id", required=True, metavar="ID", help="Organization."
)
EMAIL = click.option("--email", required=True, help="The person's email address.")
PASSWORD_STDIN = click.option(
    "--password-stdin", is_flag=True, help="Read the password from standard input, less one line end."
)
LISTED = 20


def application(*, maintains: bool = True, make: Callable[[Settings], Flask] = books_alone) -> Flask:
    """Build the application, without its doors unless `make` adds them, or stop with the hint of an unsafe setting."""
    if has_app_context():
        # `flask --app wsgi` has built it.
        return app_ctx.app
    # As while webapp/cli.py imports.
    gc.disable()
    try:
        return make(Settings.from_environment(maintains=maintains))
    except UnsafeSettingError as error:
        raise click.ClickException(str(error)) from error
    finally:
        gc.enable()


@contextmanager
def books() -> Iterator[Settings]:
    """Open the books of this installation for a command; a failure rolls back."""
    app = application()
    with app.app_context(), unlimited(), maintenance():
        require_revision()
        require_role()
        with taken_back_on_failure():
            yield app.config["SETTINGS"]
        print_warnings()


def print_warnings() -> None:
    """Print what the acts so far warn of, beside the answer."""
    for _, sentence in action_requests.untold():
        click.echo(f"Mind: {sentence}", err=True)


@contextmanager
def taken_back_on_failure() -> Iterator[None]:
    """Roll back the open transaction and its files on any error."""
    try:
        yield
    except BaseException:
        # Where the connection is lost, the database does so by itself.
        with suppress(sa.exc.SQLAlchemyError):
            db.session.rollback()
        raise


def require_revision() -> None:
    """Stop with a hint unless the books exist in this program's revision."""
    settings: Settings = current_app.config["SETTINGS"]
    place = settings.database_file or settings.instance_path
    if not place.exists():
        raise no_books(place)
    try:
        found = revisions.current_revision(db.engine)
    except sa.exc.DBAPIError as error:
        raise click.ClickException(
            f"The books do not open ({error.orig}). Where there are none yet, run: tieout migrate"
        ) from error
    if found is None:
        raise no_books(place)
    if found > revisions.head_revision():
        raise unknown_books(found)
    if found != revisions.head_revision():
        raise FailedError(
            f"The books are at revision {found}, and this version needs {revisions.head_revision()}. "
            "Run: tieout upgrade",
            "migration_pending",
        )


def make_schema(show: Callable[[str], None]) -> None:
    """Make the tables of new books; books of another version stay as they are, and stop the command."""
    from webapp.migrations.upgrades import upgrade  # noqa: PLC0415  (Alembic is heavy, and needed here only)

    if revisions.current_revision(db.engine) is not None:
        require_revision()
    upgrade(db.engine, show=show)


def no_books(place: Path) -> FailedError:
    """Say where books were looked for."""
    return FailedError(f"There are no books in {place} yet. Run: tieout migrate", "no_books")


def unknown_books(revision: str) -> FailedError:
    """Say that another version wrote the books."""
    return FailedError(
        f"The books are at revision {revision}, which this version does not know. Use the version that wrote them, "
        "or put back the copy that it made.",
        "unknown_books",
    )


def require_role() -> None:
    """Stop if the database shows this command only one organization at a time."""
    with db.engine.connect().execution_options(read_only=True) as connection:
        if is_for_requests_only(connection):
            raise FailedError(
                "The database role of this command serves requests and sees no books by itself. "
                "Set MAINTENANCE_DATABASE_URL: docs/operating/configure.md, PostgreSQL.",
                "database_role",
            )


def require_safe_role() -> None:
    """Stop if the role for requests has unsafe rights in the database."""
    with db.engine.connect().execution_options(read_only=True) as connection:
        refused = refusal(connection)
        if refused is not None:
            raise FailedError(refused, "unsafe_setting")


def require_organization(organization_id: str) -> Organization:
    """Find an organization and see only its rows from now on, or stop and list the existing ones."""
    found = db.session.get(Organization, organization_id)
    if found is None:
        some = db.session.scalars(sa.select(Organization).order_by(Organization.name).limit(LISTED))
        existing = ", ".join(f"{one.id} ({one.name})" for one in some) or "none yet"
        raise click.UsageError(f"There is no organization {organization_id}; there are: {existing}.")
    scope_session(found.id)
    return found


def command_actor(organization_id: str) -> Actor:
    """Act as the command line."""
    return Actor(organization_id=organization_id, kind="COMMAND", id=None, name="tieout", is_admin=True)


def answer(value: Any, sentence: str, *, as_json: bool) -> None:
    """Print an answer on standard output, for a program or for a person."""
    click.echo(json.dumps(value, ensure_ascii=False) if as_json else sentence)


def password_from_stdin() -> str:
    """Read a password from standard input without its one line end."""
    return sys.stdin.read().removesuffix("\n").removesuffix("\r")


def aligned(rows: Sequence[Sequence[object]]) -> str:
    """Align rows of values in columns, two spaces apart."""
    texts = [[str(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*texts, strict=True)]
    return "\n".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
        for row in texts
    )
