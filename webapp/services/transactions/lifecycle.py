"""Bank lines: confirmed, edited, deleted and brought back."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import ClassVar, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.codes import DoubtCode
from webapp.ledger.errors import LedgerError, NotFoundError
from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.shown_lines import ShownLine
from webapp.models import ActionRequest, JournalEntry, Transaction, of_same_organization
from webapp.queries.journal import attachments, entries
from webapp.queries.matching import line_joins
from webapp.queries.reconciliation import openings
from webapp.queries.transactions import doubts, lines_ahead, selected_lines, transactions
from webapp.queries.transactions.doubts import Doubt
from webapp.services.audit import field_changes, limits, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import (
    ActionResult,
    ItemResult,
    TouchedIds,
    attempt,
    warned,
)
from webapp.services.items import paid_lines
from webapp.services.journal import corrections, counter_legs, line_drafts, pair_differences
from webapp.services.journal import entries as journal_entries
from webapp.services.transactions import (
    bank_changes,
    clearing,
    join_records,
    removals,
    shown_edits,
    unpairing,
)
from webapp.services.transactions.states import LineStateError, require

# A draft takes some 5 ms, shown in a row some 7, and a correction some 15; nobody else writes meanwhile.
MOST_LINES: Final = 120
MOST_CORRECTIONS: Final = 30


class JoinedLineError(LedgerError):
    """This is another report of a line that is in the books; undo their join instead."""

    code = "joined"


class DoubtfulLineError(LedgerError):
    """Look at this line once more before it is posted."""

    codes: ClassVar[Mapping[str, str]] = {
        DoubtCode.UNCATEGORISED: "No account is chosen for this line.",
        DoubtCode.ALREADY_EXPLAINED: "An entry that was written by hand has this money already.",
        DoubtCode.PAYS_OPEN_ITEM: "This line pays an open item, which would stay open.",
        DoubtCode.MAY_BE_TRANSFER: "This line is one side of a transfer, which would count twice.",
    }


class PostedLineError(LedgerError):
    """This line is posted. Void its entry first."""

    code = "posted"


def confirm(
    transaction: Transaction,
    *,
    actor: Actor,
    now: datetime,
    note: str | None = None,
    shown: ShownLine | None = None,
    anyway: Collection[str] = (),
    asks: bool = False,
) -> ActionResult:
    """Make a line's draft part of the books, for good; a repeat changes nothing and has the same result.

    A doubt whose code is not in `anyway` is a warning, or where the caller `asks` a DoubtfulLineError. A line whose row
    was `shown` gets the suggestion in it first, and raises ChangedLineError where it is otherwise by now.
    """
    if shown is not None:
        shown_edits.accept(transaction, shown, actor=actor, now=now)
    doubtful = [each for each in doubts.of_lines([transaction])[transaction.id] if each.code not in anyway]
    if doubtful and asks:
        raise DoubtfulLineError(doubtful[0].sentence, code=doubtful[0].code, details=doubtful[0].details)
    return _confirm(transaction, doubtful, actor=actor, now=now, note=note)


def _confirm(
    transaction: Transaction, doubtful: Sequence[Doubt], *, actor: Actor, now: datetime, note: str | None
) -> ActionResult:
    entry = transaction.journal_entry
    title = titles.of_confirmation(transaction, entry)
    payload = {"note": note or ""}
    target = ("transaction", transaction.id)
    with act(actor, now, "confirm_transaction", target, title=title, payload=payload, **payload) as doing:
        require(transaction, "BOOKED")
        if entry is None:
            raise NotFoundError
        before = entry.status
        touched = (
            _post_draft(transaction, entry, doing) if before == "DRAFT" else _post_correction(entry, doing)
        )
        if touched is None:
            doing.nothing_to_do()
            return _repeat(entry)
        pair_differences.realise(transaction)
        _note_posted(doing, touched, before=before)
    done = ActionResult(
        action_request_id=doing.id, changed=bool(touched.journal_entry_ids), result=touched, title=title
    )
    return warned(done, doubtful)


def _note_posted(doing: Act, touched: TouchedIds, *, before: str) -> None:
    """Let an act say what it has posted, beside what a correction says of itself."""
    doing.result = touched.as_json()
    posted = {"status": "POSTED", "journalEntryIds": doing.result["journalEntryIds"]}
    doing.before = doing.before or {"status": before}
    doing.after = {**posted, **(doing.after or {})}


def _post_draft(line: Transaction, entry: JournalEntry, doing: Act) -> TouchedIds:
    paying = paid_lines.due(line, entry)
    journal_entries.post(entry, doing)
    for payment in paying:
        paid_lines.settle(line, entry, payment)
    return TouchedIds([entry.id], attachments.of_entry(entry.organization_id, entry.id))


def _post_correction(entry: JournalEntry, doing: Act) -> TouchedIds | None:
    marker = entries.marker_of(entry)
    if marker is None:
        return None
    marker_id = marker.id
    doing.before = {
        "status": entry.status,
        **field_changes.of_legs(entries.effective_legs(entry), entry.description),
    }
    doing.after = field_changes.of_legs(entries.legs_of(marker), entry.description)
    correction = corrections.post_marker(entry, marker, doing)
    relations = attachments.of_entry(entry.organization_id, entry.id) if correction else []
    return TouchedIds([correction.id] if correction else [], relations, deleted_journal_entry_ids=[marker_id])


def _repeat(entry: JournalEntry) -> ActionResult:
    """Give a repeat the result of the act that posted last."""
    family = [entry, *entries.corrections_of(entry)]
    request = db.session.scalar(
        sa.select(ActionRequest).where(
            of_same_organization(ActionRequest, entry),
            ActionRequest.id == family[-1].action_request_id,
        )
    )
    stored = request.result if request is not None else None
    touched = TouchedIds.from_json(stored) if stored else TouchedIds([family[-1].id])
    return ActionResult(action_request_id=family[-1].action_request_id or "", changed=False, result=touched)


def bulk_confirm(
    organization_id: str,
    ids: Sequence[int],
    *,
    actor: Actor,
    now: datetime,
    note: str | None = None,
    shown: Mapping[int, ShownLine] | None = None,
) -> list[ItemResult]:
    """Confirm lines one by one; a refused one stops no other. More than fit raise ActTooLargeError.

    `shown` has what the rows of some showed.
    """
    refuse_too_many(organization_id, ids)
    doubtful = doubts.of_lines(lines_ahead.load(organization_id, ids))

    def confirm_one(line_id: int) -> ActionResult:
        line = transactions.get(organization_id, line_id)
        if shown and line_id in shown:
            shown_edits.accept(line, shown[line_id], actor=actor, now=now)
        return _confirm(line, doubtful[line_id], actor=actor, now=now, note=note)

    return [attempt(line_id, partial(confirm_one, line_id)) for line_id in ids]


def part_of(organization_id: str, ids: Sequence[int], most: int) -> list[int]:
    """Give the first of many lines that may be confirmed together."""
    part = list(ids[:most])
    while len(part) > 1 and selected_lines.count_corrections(organization_id, part) > MOST_CORRECTIONS:
        del part[len(part) // 2 :]
    return part


def refuse_too_many(organization_id: str, ids: Sequence[int]) -> None:
    """Refuse to confirm more lines, or more corrections of posted ones, than others may wait for."""
    limits.refuse_above(MOST_LINES, len(ids), "lines", "confirmed", "Confirm them in parts.")
    corrections = selected_lines.count_corrections(organization_id, ids)
    limits.refuse_above(MOST_CORRECTIONS, corrections, "corrections", "confirmed", "Confirm them in parts.")


def delete(transaction: Transaction, *, actor: Actor, now: datetime) -> None:
    """Delete a line and its draft; the line stays stored, and a file that has it again does not bring it back.

    A repeat changes nothing.
    """
    title = f"Deleted {transaction.label}"
    with act(actor, now, "delete_transaction", ("transaction", transaction.id), title=title) as doing:
        if transaction.status == "DELETED":
            doing.nothing_to_do()
            return
        require(transaction, "BOOKED")
        entry = transaction.journal_entry
        if entry is not None and entry.status != "DRAFT":
            raise PostedLineError(f"This line is posted. Void entry {entry.id} first.")
        doing.before, doing.after = _draft_facts(transaction, entry), {"status": "DELETED"}
        unpairing.unpair(transaction, now=now)
        entry = transaction.journal_entry
        transaction.journal_entry_id = None
        transaction.status = "DELETED"
        db.session.flush()
        if entry is not None:
            journal_entries.delete_draft(entry)
        paid_lines.drop(transaction)
        clearing.unclear_lines(transaction.organization_id, [transaction.id])


def _draft_facts(transaction: Transaction, entry: JournalEntry | None) -> dict[str, object]:
    """Give a line's draft for the audit trail, to be restored from there."""
    if entry is None:
        return {"status": transaction.status}
    counters = counter_legs.as_stored(transaction, entry)
    return {
        "status": transaction.status,
        "description": entry.description,
        "counters": counters,
        **paid_lines.facts(transaction),
    }


def restore(
    transaction: Transaction,
    *,
    actor: Actor,
    now: datetime,
    legs: Sequence[Leg] | None = None,
    description: str | None = None,
) -> Transaction:
    """Bring a line back that somebody deleted or the bank removed: with its posted entry, or else with a draft.

    The draft is fresh, or has the counter legs and the description that are named. A line that is in the books stays
    as it is.
    """
    title = f"Restored {transaction.label}"
    with act(actor, now, "restore_transaction", ("transaction", transaction.id), title=title) as doing:
        if transaction.status == "BOOKED" and legs is None and description is None:
            doing.nothing_to_do()
            return transaction
        require(transaction, "DELETED", "REMOVED")
        if transaction.status == "REMOVED":
            _require_booked(transaction)
        doing.before = {"status": transaction.status}
        transaction.status = openings.state_of(transaction)
        if transaction.journal_entry_id is None:
            line_drafts.add(transaction, now=now, counter_legs=legs, description=description)
        bank_changes.reopen_correction(transaction, now=now)
        doing.after = {"status": transaction.status}
    return transaction


def _require_booked(transaction: Transaction) -> None:
    """Refuse to restore a removed row that is no line of its own: another report of a line, or only ever pending."""
    kept_id = line_joins.kept_id(transaction)
    if kept_id is not None:
        raise JoinedLineError(
            f"This is another report of a line that is in the books (line {kept_id}). Undo their join instead."
        )
    feed_line = join_records.feed_line_of(transaction)
    if transaction.removed_by_import_id is not None or (feed_line is not None and feed_line.is_pending):
        raise LineStateError(
            "REMOVED", "The bank never booked this pending line, so there is nothing to restore."
        )


def remove_again(transaction: Transaction, *, actor: Actor, now: datetime) -> None:
    """Remove a line again that its bank removed and somebody restored; a posted entry stays."""
    title = f"Removed {transaction.label} again"
    with act(actor, now, "remove_transaction_again", ("transaction", transaction.id), title=title) as doing:
        require(transaction, "BOOKED", "SET_ASIDE")
        doing.before = {"status": transaction.status}
        removals.remove(transaction.feed_account, [transaction], now=now)
        doing.after = {"status": transaction.status}
