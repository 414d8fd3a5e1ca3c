"""Edits of lines from their rows: what a row shows is what is changed, and nothing else."""

from collections.abc import Iterable
from datetime import datetime

from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.shown_lines import ShownLine
from webapp.models import Transaction
from webapp.queries.transactions import shown_lines
from webapp.queries.transactions.shown_lines import ChangedLine
from webapp.services.audit.act import Actor
from webapp.services.audit.results import ActionResult
from webapp.services.transactions import edits
from webapp.services.transactions.changed_legs import LineChanges


class ChangedLineError(LedgerError):
    """This line has changed since its row was shown, so nothing was posted."""

    code = "line_changed"


def edit(
    line: Transaction,
    changes: LineChanges,
    shown: ShownLine | None,
    *,
    description: str | None = None,
    actor: Actor,
    now: datetime,
) -> ActionResult:
    """Change a line from its row, so that nobody overwrites what somebody else has set meanwhile: 409 instead.

    `description` is what the row showed of it where that is changed. Without `shown` nothing is compared.
    """
    if shown is not None and (
        shown_lines.of_line(line) != shown.content or shown_lines.is_reworded(line, description)
    ):
        raise ChangedLineError("This line has changed since its row was shown, so nothing was changed.")
    # The row says itself what the line likely pays or moves.
    return edits.edit(line, changes, actor=actor, now=now, warns=False)


def changed(organization_id: str, shown: Iterable[ShownLine]) -> dict[int, ChangedLine]:
    """Compare lines with what their rows showed; those that are otherwise by id, with both versions."""
    rows = list(shown)
    present = shown_lines.of_lines(organization_id, [each.line_id for each in rows])
    return {
        each.line_id: shown_lines.changed(organization_id, each)
        for each in rows
        if present.get(each.line_id) not in (each.content, each.posts)
    }


def accept(line: Transaction, shown: ShownLine, *, actor: Actor, now: datetime) -> None:
    """Give a line the suggestion that its row shows, or raise ChangedLineError where the line is otherwise."""
    present = shown_lines.of_line(line)
    if present == shown.posts:
        return
    if present != shown.content:
        raise ChangedLineError
    changes = _changes_of(shown)
    if changes:
        edits.edit(line, changes, actor=actor, now=now, warns=False)


def _changes_of(shown: ShownLine) -> LineChanges:
    """Give the fields of a line that its suggestion changes."""
    if shown.accepted is None or len(shown.parts) != 1:
        return {}
    before, after = shown.parts[0], shown.accepted
    changes: LineChanges = {"account_id": after.account_id}
    if after.merchant_id != before.merchant_id:
        changes["org_merchant_id"] = after.merchant_id
    if after.project_id != before.project_id:
        changes["project_id"] = after.project_id
    return changes
