"""The lines of one push: matched by their provider's ids, written in bulk, each with its verdict."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from webapp.ledger.matching.lines import BankLine, state_of_new
from webapp.ledger.matching.pushed_lines import outdated_reason
from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines, surroundings
from webapp.queries.matching.feed_lines import FeedEvent
from webapp.queries.reconciliation import reconciliations
from webapp.services.feeds import feed_lines as last_events
from webapp.services.feeds import matching, outdated_lines, shared_ids, shifted_ids
from webapp.services.feeds.incoming_lines import DELETED_REASON, IncomingLine, PushContext
from webapp.services.ingestion import rules
from webapp.services.ingestion import writes as line_writes
from webapp.services.reconciliation import set_asides
from webapp.services.rules import writes as rule_writes
from webapp.services.transactions import bank_changes, clearing, join_records

# Where the removal of a pending line, or of a line that was never there, arrives before the line itself.
REMOVED_REASON = "The bank removed this line before it arrived. It stays out unless the bank sends it again."
SENT_AGAIN = "The bank removed this line and sent it again."
UNDER_ANOTHER_ID = "The bank removed this id; the line is there under another one."


def take(context: PushContext, lines: Sequence[IncomingLine]) -> None:
    """Bring lines that were added, or modified, into the books, each once."""
    stored = feed_lines.last_events(context.feed_account, shared_ids.names_of(lines))
    context = shared_ids.settle(context, lines, stored)
    shifted = shifted_ids.settle(context.feed_account, lines, stored)
    first: dict[str, IncomingLine] = {}
    again: list[tuple[IncomingLine, IncomingLine]] = []
    for each in lines:
        earlier = first.setdefault(each.line.provider_transaction_id, each)
        if earlier is not each:
            again.append((each, earlier))
            continue
        each.earlier = stored.get(each.line.provider_transaction_id)
        if each.earlier is not None:
            _recognise(each, each.earlier)
        if each.line.provider_transaction_id in shifted and each.verdict == "ALREADY_THERE":
            each.reason = shifted_ids.REASON
    open_ = [each for each in first.values() if not each.verdict]
    recognise_returned(context, [each for each in open_ if each.is_returned])
    open_ = [each for each in open_ if not each.verdict]
    late = [each for each in first.values() if each.is_late]
    outdated_lines.join(context, late, [each for each in open_ if not each.line.pending])
    _write(context, open_)
    for each, earlier in again:
        each.decide("ALREADY_THERE", earlier.line_id, "This push has the line already.")


def _recognise(each: IncomingLine, earlier: FeedEvent) -> None:
    """Set the verdict on a line that changes nothing; one that does stays open."""
    each.row_id = earlier.transaction_id
    if earlier.event == "REMOVED":
        if each.line.pending:
            each.decide("REMOVED", earlier.line_id, REMOVED_REASON)
        each.is_returned = earlier.transaction_id is not None
    elif earlier.digest == each.digest:
        is_deleted = earlier.status == "DELETED"
        each.decide(
            *(
                ("DELETED", earlier.line_id, DELETED_REASON)
                if is_deleted
                else ("ALREADY_THERE", earlier.line_id)
            )
        )
    else:
        outdated = outdated_reason(
            last_event=earlier.event,
            was_pending=earlier.is_pending,
            is_modified=each.is_modified,
            is_pending=each.line.pending,
        )
        if outdated is not None:
            each.is_late = not each.line.pending
            each.decide("ALREADY_THERE", earlier.line_id, outdated)


def _write(context: PushContext, lines: Sequence[IncomingLine]) -> None:
    unseen = [each for each in lines if each.earlier is not None and each.earlier.transaction_id is None]
    _write_removed(context, unseen)
    lines = [each for each in lines if not each.verdict]
    new = [each for each in lines if each.earlier is None]
    booked_now = [each for each in lines if each.is_booked_now]
    changed = [each for each in lines if each.earlier is not None and not each.is_booked_now]
    arriving = [each for each in (*new, *booked_now) if not each.line.pending]
    # First, so that new lines are compared with known ones as they are now, and not as they were.
    _change(context, changed)
    beside = surroundings.of(context.feed_account) if arriving else surroundings.NOTHING
    duplicates = matching.duplicates_of(context, arriving, beside)
    _write_new(context, new, duplicates)
    _book(context, booked_now, duplicates)
    last_events.add(context.feed_account, [each.last_event for each in new])
    last_events.replace(context.feed_account, [each.last_event for each in lines if each.earlier is not None])
    matching.join_duplicates(context, arriving, duplicates)
    matching.join_pending(context, new, arriving, beside)


def _write_removed(context: PushContext, unseen: Sequence[IncomingLine]) -> None:
    """Store lines whose removal arrived first: out of the books, until somebody restores or the bank resends them."""
    if not unseen:
        return
    _insert(context, unseen, dict.fromkeys(map(id, unseen), True))
    for each in unseen:
        each.decide("REMOVED", each.row_id, REMOVED_REASON)
    last_events.replace(context.feed_account, [each.last_event._replace(event="REMOVED") for each in unseen])


def _write_new(context: PushContext, new: Sequence[IncomingLine], duplicates: matching.Duplicates) -> None:
    _insert(context, new, {id(each): matching.is_joined(each, duplicates) for each in new})
    for each in new:
        each.decide("PENDING" if each.line.pending else "NEW", each.row_id)


def _insert(context: PushContext, new: Sequence[IncomingLine], is_out: Mapping[int, bool]) -> None:
    """Store the rows of new lines; those that are out of the books have no draft."""
    if not new:
        return
    rows = [
        each.facts._replace(state=state_of_new(is_pending=each.line.pending, is_joined=is_out[id(each)]))
        for each in new
    ]
    line_rules = rules.for_trigger(context.organization, "TRANSACTION_INGESTED")
    ids = line_writes.write(
        context.organization,
        context.feed_account,
        rows,
        now=context.now,
        import_id=None,
        rules=line_rules,
        act_id=context.act_id,
    )
    by_number = dict(enumerate(ids))
    rule_writes.run_on_stored(
        context.organization, line_rules, by_number, act_id=context.act_id, now=context.now
    )
    for each, row_id in zip(new, ids, strict=True):
        each.row_id = row_id
    if line_rules.run_id is not None:
        context.run_ids.append(line_rules.run_id)


def _book(context: PushContext, lines: Sequence[IncomingLine], duplicates: matching.Duplicates) -> None:
    """Book lines that were pending under the same id; one that was joined to another line is a line of its own."""
    rows = _rows(context, lines)
    booked: list[int] = []
    for each in lines:
        row = rows[each.row_id]
        if each.earlier is not None and each.earlier.kept_id is not None:
            reason = "The bank booked it under its own id."
            join_records.refuse_by_bank(row.organization_id, row.id, reason=reason, now=context.now)
        bank_changes.write_facts(row, each.facts)
        if matching.is_joined(each, duplicates):
            join_records.remove_from_books(row, now=context.now)
        else:
            join_records.add_to_books(row, now=context.now)
            booked.append(row.id)
        verdict = "RETURNED" if each.is_returned else "CHANGED"
        each.decide(verdict, row.id, "It was pending and is booked now.")
    _run_rules(context, booked, "TRANSACTION_INGESTED")


def _change(context: PushContext, lines: Sequence[IncomingLine]) -> None:
    rows = _rows(context, lines)
    kept_rows = lookups.by_id(
        Transaction, context.organization.id, [each.earlier.kept_id for each in lines if each.earlier]
    )
    held = bank_changes.fetch_entries([*rows.values(), *kept_rows.values()])
    reported: list[Transaction] = []
    changed: list[int] = []
    drafted: list[int] = []
    for each in lines:
        row = rows[each.row_id]
        kept = kept_rows.get(each.earlier.kept_id if each.earlier else None)
        if each.line.pending:
            bank_changes.write_facts(row, each.facts)
            each.decide("CHANGED", (kept or row).id, "It is still pending.")
            continue
        if each.is_returned and (kept or row).journal_entry_id is None:
            drafted.append((kept or row).id)
        if each.is_returned:
            begin_again(kept or row, now=context.now)
        was = bank_changes.facts_of(row)
        reason = bank_changes.apply(row, each.facts, now=context.now)
        if kept is not None:
            reason = _update_kept(kept, was, each.facts, context.now) or reason
        reported.append(kept or row)
        if each.is_returned:
            waits = join_records.add_to_books(kept or row, now=context.now)
            reasons = filter(None, (SENT_AGAIN, reason, waits))
            each.decide("RETURNED", (kept or row).id, " ".join(reasons))
            continue
        if reason:
            changed.append((kept or row).id)
        verdict = "DELETED" if (kept or row).status == "DELETED" else "CHANGED"
        each.decide(verdict, (kept or row).id, DELETED_REASON if verdict == "DELETED" else reason)
    held.clear()
    _adjust_statements(context, reported)
    _run_rules(context, drafted, "TRANSACTION_INGESTED")
    _run_rules(context, changed, "TRANSACTION_UPDATED")


def _run_rules(context: PushContext, line_ids: Sequence[int], trigger: str) -> None:
    """Run the rules of a trigger on lines of this push that are in the books by now."""
    run_id = rule_writes.run_on(
        context.organization, line_ids, trigger, act_id=context.act_id, now=context.now
    )
    if run_id is not None:
        context.run_ids.append(run_id)


def _adjust_statements(context: PushContext, changed: Sequence[Transaction]) -> None:
    """Adjust the lines that are set aside, and the items of an open draft, to the changed lines."""
    if not changed:
        return
    account = context.feed_account
    set_asides.resynchronise(account, now=context.now)
    draft = reconciliations.draft_of(account)
    cleared = {item.transaction_id for item in clearing.items_of(draft)} if draft is not None else set()
    if draft is not None and cleared & {line.id for line in changed}:
        clearing.prune(account, draft)
        clearing.advance(draft)


def _update_kept(kept: Transaction, was: BankLine, facts: BankLine, now: datetime) -> str:
    """Give the line that a changed report is joined to its new day and amount; its text is another source's."""
    if (was.booked_on, was.amount_minor) == (facts.booked_on, facts.amount_minor):
        return ""
    moved = bank_changes.facts_of(kept)._replace(booked_on=facts.booked_on, amount_minor=facts.amount_minor)
    return bank_changes.apply(kept, moved, now=now)


def _rows(context: PushContext, lines: Iterable[IncomingLine]) -> dict[int | None, Transaction]:
    return lookups.by_id(Transaction, context.organization.id, [each.row_id for each in lines])


def recognise_returned(context: PushContext, returned: Sequence[IncomingLine]) -> None:
    """Set the verdict on lines that do not come back: somebody deleted them, or they are there under another id."""
    if not returned:
        return
    organization_id = context.organization.id
    lines = {id(each): each.earlier.line_id for each in returned if each.earlier is not None}
    rows = lookups.by_id(Transaction, organization_id, lines.values())
    renamed = feed_lines.newest_booked_rows(organization_id, [row.id for row in rows.values()])
    for each in returned:
        line_id = lines[id(each)]
        was_pending = each.earlier is not None and each.earlier.is_pending
        is_joined = line_id != each.row_id
        if line_id in renamed or (was_pending and is_joined):
            each.decide("REMOVED", line_id, UNDER_ANOTHER_ID)
        elif rows[line_id].status == "DELETED":
            each.decide("DELETED", line_id, DELETED_REASON)


def begin_again(line: Transaction, *, now: datetime) -> None:
    """Make a line a booked one, before it takes the bank's present fields, and record that it came back."""
    bank_changes.change_status(line, "BOOKED", now=now)
