"""Passwords of people."""

from __future__ import annotations

import click

from webapp.commands.books import EMAIL, PASSWORD_STDIN, books, password_from_stdin
from webapp.database.sessions import begin_write, db
from webapp.ledger.errors import NotFoundError
from webapp.services.access import users


@click.command()
@EMAIL
@PASSWORD_STDIN
def set_password(email: str, *, password_stdin: bool) -> None:
    """Set a new password for a person; all their sessions end."""
    password = password_from_stdin() if password_stdin else click.prompt("Password", hide_input=True)
    with books():
        hashed = users.hash_password(password)
        begin_write()
        try:
            users.set_password(email, hashed)
        except NotFoundError as error:
            raise click.ClickException(f"Nobody has the email address {email}.") from error
        db.session.commit()
    click.echo("The password is changed, and every session of theirs has ended.", err=True)
