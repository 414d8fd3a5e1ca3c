"""The `tieout` command: what an operator does with the books from a shell."""

from __future__ import annotations

import json
import os
import sys
from datetime import UTC, datetime
from typing import Any

import click
from flask import Flask

from webapp import create_app, migrations
from webapp.config import Settings, UnsafeSettingError, make_instance
from webapp.db import begin_write, db
from webapp.ledger.errors import LedgerError
from webapp.ledger.scopes import SCOPES
from webapp.models import Membership, Organization, User
from webapp.services import organizations, tokens, users
from webapp.services.actors import Actor

JSON = click.option("--json", "as_json", is_flag=True, help="Print the answer as JSON on standard output.")
ORGANIZATION = click.option(
    "--organization", "organization_id", required=True, metavar="ID", help="Whose books."
)
EMAIL = click.option("--email", required=True, help="The person's email address.")


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """Tieout: from a bank's file to a proof."""
    os.umask(0o077)


def application() -> Flask:
    """Build the application, or stop with the hint that an unsafe setting carries."""
    try:
        return create_app(Settings.from_environment())
    except UnsafeSettingError as error:
        raise click.ClickException(str(error)) from error


def command_actor(organization_id: str) -> Actor:
    """Act as the command line."""
    return Actor(organization_id=organization_id, kind="COMMAND", id=None, name="tieout")


def answer(as_json: bool, value: Any, sentence: str) -> None:  # noqa: FBT001  (click passes flags by position)
    """Print an answer: for a program, or for a person."""
    click.echo(json.dumps(value, ensure_ascii=False) if as_json else sentence)


def password_from_stdin() -> str:
    """Read a password from standard input without its one line end."""
    return sys.stdin.read().removesuffix("\n").removesuffix("\r")


def require_organization(organization_id: str) -> Organization:
    """Find an organization, or stop and list those that there are."""
    found = db.session.get(Organization, organization_id)
    if found is None:
        there = (
            ", ".join(f"{one.id} ({one.name})" for one in db.session.query(Organization).limit(20))
            or "none yet"
        )
        raise click.UsageError(f"There is no organization {organization_id}; there are: {there}.")
    return found


@main.command()
def serve() -> None:
    """Serve the books with gunicorn."""
    from webapp.server import serve as serve_books  # noqa: PLC0415  (gunicorn is heavy, and needed here only)

    app = application()
    with app.app_context():
        if migrations.current_revision(db.engine) != migrations.head_revision():
            raise click.ClickException("The books are of another revision. Run: tieout migrate")
        db.engine.dispose()
    serve_books(app, app.config["SETTINGS"])


@main.command()
def migrate() -> None:
    """Bring the books to this program's revision."""
    app = application()
    make_instance(app.config["SETTINGS"].instance_path)
    with app.app_context():
        migrations.upgrade(db.engine)
        click.echo(f"The books are at revision {migrations.current_revision(db.engine)}.", err=True)


@main.command()
@click.argument("name")
@click.option("--base-currency", required=True, metavar="EUR")
@EMAIL
@click.option("--password-stdin", is_flag=True, help="Read the owner's password from standard input.")
@JSON
def create_organization(
    name: str, base_currency: str, email: str, *, password_stdin: bool, as_json: bool
) -> None:
    """Open an organization's books with their first owner."""
    now = datetime.now(UTC)
    password = password_from_stdin() if password_stdin else None
    with application().app_context(), refusals():
        hashed = users.hash_password(password) if password is not None else None
        begin_write()
        owner = users.find_or_create(email, now=now)
        if hashed is not None:
            users.set_password(email, hashed)
        organization = organizations.create(name, base_currency, owner, now=now)
        link = None if owner.password_hash else organizations.make_link(owner, now=now)
        db.session.commit()
        value = {"organizationId": organization.id, "userId": owner.id}
    answer(as_json, value, f"{name} is organization {organization.id}.")
    if link is not None:
        click.echo(f"{owner.email} has no password yet. One-time link: /join/{link}", err=True)


@main.command()
@ORGANIZATION
@EMAIL
@click.option("--name", required=True, help="What the token is for.")
@click.option(
    "--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="Default: all that the owner may."
)
@JSON
def create_token(
    organization_id: str, email: str, name: str, scopes: tuple[str, ...], *, as_json: bool
) -> None:
    """Make an API token; its text is printed once."""
    with application().app_context(), refusals():
        begin_write(organization_id)
        organization = require_organization(organization_id)
        user = db.session.query(User).filter_by(email=users.canonical_email(email)).one_or_none()
        membership = user and db.session.get(Membership, (organization.id, user.id))
        if not membership:
            raise click.UsageError(f"{email} does not belong to {organization.name}.")
        token, text = tokens.create(
            membership, actor=command_actor(organization.id), now=datetime.now(UTC), name=name, scopes=scopes
        )
        db.session.commit()
    answer(as_json, {"tokenId": token.id, "token": text}, text)


@main.command()
@EMAIL
@click.option("--password-stdin", is_flag=True, help="Read the password from standard input.")
def set_password(email: str, *, password_stdin: bool) -> None:
    """Give a person another password; all their sessions end."""
    password = password_from_stdin() if password_stdin else click.prompt("Password", hide_input=True)
    with application().app_context(), refusals():
        hashed = users.hash_password(password)
        begin_write()
        users.set_password(email, hashed)
        db.session.commit()
    click.echo("The password is changed, and every session of theirs has ended.", err=True)


class refusals:  # noqa: N801  (reads as a phrase: with refusals())
    """Turn a rule of the books that was held into a message and exit status 1."""

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Roll back and say what stands against it."""
        if isinstance(error, LedgerError):
            db.session.rollback()
            raise click.ClickException(str(error)) from error


if __name__ == "__main__":
    main()
