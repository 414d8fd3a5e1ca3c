"""The books and the actor of a shell's commands."""

from __future__ import annotations

import click
import sqlalchemy as sa

from webapp.commands.books import JSON, answer, books
from webapp.config import version
from webapp.database.sessions import begin_read
from webapp.migrations import revisions
from webapp.queries.access import organizations


@click.command()
@JSON
def whoami(*, as_json: bool) -> None:
    """Show the books of this shell's commands, and the actor of their acts."""
    with books() as settings:
        begin_read()
        url = sa.make_url(settings.database_url)
        found = {
            "version": version(),
            "revision": revisions.head_revision(),
            "database": url.render_as_string(hide_password=True),
            "instancePath": str(settings.instance_path),
            "organizations": [each.id for each in organizations.every()],
            "actor": {"kind": "COMMAND", "name": "tieout"},
        }
    sentence = (
        f"Tieout {found['version']} works on {found['database']}, its files are in {found['instancePath']}.\n"
        "Whoever may run it here acts on these books as the command line, without a key: the activity says so."
    )
    answer(found, sentence, as_json=as_json)
