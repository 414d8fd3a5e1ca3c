"""Commands that read the books: their place and actor, every check, exports to other systems."""

import contextlib
import os
import sys
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path

import click
import sqlalchemy as sa

from webapp.commands.books import JSON, ORGANIZATION, answer, books, require_organization
from webapp.commands.progress import progress_line
from webapp.config import version
from webapp.database.sessions import begin_read
from webapp.migrations import revisions
from webapp.queries import checks
from webapp.queries.access import organizations
from webapp.queries.audit import audit_files
from webapp.queries.checks import audit
from webapp.queries.reports import exports
from webapp.services.backups import archives

FORMATS = ("beancount", "hledger", "csv")


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


@click.command()
@click.option(
    "--head",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A backup or an audit file that was kept elsewhere: its events are still there.",
)
@JSON
@click.pass_context
def check(context: click.Context, head: Path | None, *, as_json: bool) -> None:
    """Check every invariant of all books; exit status 1 if one is broken."""
    noted = {} if head is None else archives.noted_heads(head)
    with books(), progress_line() as show:
        begin_read()
        violations = [*checks.violations(show), *audit.cut_chains(noted)]
    lines = [f"{each.organization_id or '-'} {each.code}: {each.message}" for each in violations]
    sentence = "\n".join(lines) or "The books are sound."
    value = {"ok": not violations, "violations": [each.as_json() for each in violations]}
    answer(value, sentence, as_json=as_json)
    if violations:
        context.exit(1)


@click.command("audit-file")
@click.option(
    "--from", "first", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="The first day of events."
)
@click.option(
    "--to", "last", type=click.DateTime(["%Y-%m-%d"]), metavar="DAY", help="The last day of events."
)
@ORGANIZATION
def audit_file(organization_id: str, first: datetime | None, last: datetime | None) -> None:
    """Write the events of a period and the rows that they bound, to be verified without Tieout."""
    with books():
        begin_read()
        organization = require_organization(organization_id)
        days = (first and first.date(), last and last.date())
        _write_out(audit_files.lines_of(organization, *days))


@click.command()
@click.argument("format_", metavar="beancount|hledger|csv", type=click.Choice(FORMATS))
@ORGANIZATION
def export(format_: str, organization_id: str) -> None:
    """Write the whole book to standard output, with a balance assertion from each standing proof."""
    with books():
        begin_read()
        require_organization(organization_id)
        _write_out(exports.of(organization_id, format_).pieces)


def _write_out(pieces: Iterable[str]) -> None:
    for piece in pieces:
        sys.stdout.write(piece)
    sys.stdout.flush()
    # A file that standard output goes to is on the disk when the command ends; what is no file cannot be.
    with contextlib.suppress(OSError):
        os.fsync(sys.stdout.fileno())
