"""Checks of the books: every invariant, every violation."""

from __future__ import annotations

import click

from webapp.commands.books import JSON, answer, books
from webapp.commands.progress import progress_line
from webapp.database.sessions import begin_read
from webapp.queries import checks


@click.command()
@JSON
@click.pass_context
def check(context: click.Context, *, as_json: bool) -> None:
    """Check every invariant of all books; exit status 1 if one is broken."""
    with books(), progress_line() as show:
        begin_read()
        violations = list(checks.violations(show))
    lines = [f"{each.organization_id or '-'} {each.code}: {each.message}" for each in violations]
    sentence = "\n".join(lines) or "The books are sound."
    value = {"ok": not violations, "violations": [each.as_json() for each in violations]}
    answer(value, sentence, as_json=as_json)
    if violations:
        context.exit(1)
