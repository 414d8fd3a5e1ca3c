"""Acts on lines from their rows: what a row shows is what is posted or changed, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import partial

from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.shown_lines import ShownLine
from webapp.models import Transaction
from webapp.queries.matching import booked_by_hand
from webapp.queries.transactions import lines_ahead, selected_lines, shown_lines, transactions
from webapp.queries.transactions.shown_lines import ChangedLine
from webapp.services.audit.act import Actor
from webapp.services.audit.results import ActionResult, ItemResult, attempt
from webapp.services.transactions import edits, lifecycle
from webapp.services.transactions.changed_legs import LineChanges


class ChangedLineError(LedgerError):
    """This line has changed since its row was shown, so nothing was posted."""

    code = "line_changed"


class UncategorisedLineError(LedgerError):
    """This line is uncategorised, and would be posted as such."""

    code = "uncategorised_line"


class AlreadyByHandError(LedgerError):
    """Something in the books has this money already; look at it, and send `force` if it is not the same."""

    code = "already_explained"


def confirm(
    line: Transaction,
    shown: ShownLine | None,
    *,
    actor: Actor,
    now: datetime,
    note: str | None = None,
    as_uncategorised: bool = False,
    force: bool = False,
) -> ActionResult:
    """Confirm a line as its row shows it, with its suggestion where the row has one; 409 where the line is otherwise.

    Without `shown` nothing is compared. An uncategorised line needs `as_uncategorised`, one whose money an entry has
    already `force`. What was posted as it is shown is not posted again.
    """
    if shown is not None:
        accept(line, shown, actor=actor, now=now)
    if not as_uncategorised and selected_lines.count_uncategorised(line.organization_id, [line.id]):
        raise UncategorisedLineError
    if not force:
        _check_unexplained(line)
    return lifecycle.confirm(line, note=note, actor=actor, now=now)


def _check_unexplained(line: Transaction) -> None:
    entry = line.journal_entry
    explained = booked_by_hand.of_line(line) if entry is not None and entry.status == "DRAFT" else ()
    if explained:
        ids = [each.journal_entry_id for each in explained]
        raise AlreadyByHandError(explained[0].sentence, details={"journalEntryIds": ids})


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
    return edits.edit(line, changes, actor=actor, now=now)


def changed(organization_id: str, shown: Iterable[ShownLine]) -> dict[int, ChangedLine]:
    """Compare lines with what their rows showed; those that are otherwise by id, with both versions."""
    rows = list(shown)
    present = shown_lines.of_lines(organization_id, [each.line_id for each in rows])
    return {
        each.line_id: shown_lines.changed(organization_id, each)
        for each in rows
        if present.get(each.line_id) not in (each.content, each.posts)
    }


def bulk_confirm(
    organization_id: str,
    ids: Sequence[int],
    shown: Mapping[int, ShownLine],
    *,
    actor: Actor,
    now: datetime,
    note: str | None = None,
) -> list[ItemResult]:
    """Confirm lines one by one as their rows show them, after a question; a refused one stops no other.

    More than fit raise ActTooLargeError.
    """
    lifecycle.refuse_too_many(organization_id, ids)

    def confirm_one(line_id: int) -> ActionResult:
        line = transactions.get(organization_id, line_id)
        return confirm(
            line,
            shown.get(line_id),
            actor=actor,
            now=now,
            note=note,
            as_uncategorised=True,
            force=True,
        )

    lines_ahead.load(organization_id, ids)
    return [attempt(line_id, partial(confirm_one, line_id)) for line_id in ids]


def accept(line: Transaction, shown: ShownLine, *, actor: Actor, now: datetime) -> None:
    """Give a line the suggestion that its row shows, or raise ChangedLineError where the line is otherwise."""
    present = shown_lines.of_line(line)
    if present == shown.posts:
        return
    if present != shown.content:
        raise ChangedLineError
    changes = changes_of(shown)
    if changes:
        edits.edit(line, changes, actor=actor, now=now)


def changes_of(shown: ShownLine) -> LineChanges:
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
