"""What becomes of the lines of one push: each known by its provider's id, written in bulk, given its verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from webapp.ledger.matching.pushed_lines import outdated_reason
from webapp.models import Transaction
from webapp.queries.common import lookups
from webapp.queries.matching import feed_lines
from webapp.queries.matching.feed_lines import SaidLine
from webapp.queries.reconciliation import reconciliations
from webapp.services.feeds import feed_lines as said_lines
from webapp.services.feeds import matching, outdated_lines
from webapp.services.feeds.incoming_lines import DELETED_REASON, Feeding, Judged
from webapp.services.ingestion import rules
from webapp.services.ingestion import writes as line_writes
from webapp.services.ingestion.line import NewLine
from webapp.services.reconciliation import set_asides
from webapp.services.rules import writes as rule_writes
from webapp.services.transactions import bank_changes, clearing, join_records
from webapp.services.transactions.bank_changes import Facts

REMOVED_REASON = "The bank took this line back; its id stays out."


def take(feeding: Feeding, lines: Sequence[Judged]) -> None:
    """Bring lines that were added, or modified, into the books, each once."""
    known = feed_lines.said(feeding.feed_account, {each.line.provider_transaction_id for each in lines})
    first: dict[str, Judged] = {}
    again: list[tuple[Judged, Judged]] = []
    for each in lines:
        earlier = first.setdefault(each.line.provider_transaction_id, each)
        if earlier is not each:
            again.append((each, earlier))
            continue
        each.said = known.get(each.line.provider_transaction_id)
        if each.said is not None:
            _recognise(each, each.said)
    open_ = [each for each in first.values() if not each.verdict]
    late = [each for each in first.values() if each.is_late]
    outdated_lines.join(feeding, late, [each for each in open_ if not each.line.pending])
    _write(feeding, open_)
    for each, earlier in again:
        each.settle("ALREADY_THERE", earlier.line_id, "It stands in this batch before.")


def _recognise(each: Judged, said: SaidLine) -> None:
    """Settle a line that changes nothing; one that does stays open."""
    each.row_id = said.transaction_id
    if said.said == "REMOVED":
        each.settle("REMOVED", said.line_id, REMOVED_REASON)
    elif said.digest == each.digest:
        is_deleted = said.status == "DELETED"
        each.settle(
            *(("DELETED", said.line_id, DELETED_REASON) if is_deleted else ("ALREADY_THERE", said.line_id))
        )
    else:
        outdated = outdated_reason(
            last_event=said.said,
            was_pending=said.is_pending,
            is_modified=each.is_modified,
            is_pending=each.line.pending,
        )
        if outdated is not None:
            each.is_late = not each.line.pending
            each.settle("ALREADY_THERE", said.line_id, outdated)


def _write(feeding: Feeding, lines: Sequence[Judged]) -> None:
    new = [each for each in lines if each.said is None]
    booked_now = [each for each in lines if each.is_booked_now]
    changed = [each for each in lines if each.said is not None and not each.is_booked_now]
    arriving = [each for each in (*new, *booked_now) if not each.line.pending]
    twins = matching.twins_of(feeding, arriving)
    _write_new(feeding, new, twins)
    _book(feeding, booked_now, twins)
    _change(feeding, changed)
    said_lines.keep(feeding.feed_account, [each.word for each in new])
    said_lines.repeat(feeding.feed_account, [each.word for each in lines if each.said is not None])
    matching.join_twins(feeding, arriving, twins)
    matching.join_pending(feeding, new, arriving)


def _write_new(feeding: Feeding, new: Sequence[Judged], twins: matching.Twins) -> None:
    rows = [
        NewLine(
            provider_transaction_id=each.line.provider_transaction_id,
            booked_on=each.line.booked_on,
            value_on=each.line.value_on,
            amount_minor=each.amount_minor,
            description=each.line.description,
            counterparty=each.line.counterparty,
            reference=each.line.reference,
            iban=each.line.iban,
            line_key=None,
            occurrence=1,
            is_pending=each.line.pending,
            is_joined=matching.is_joined(each, twins),
        )
        for each in new
    ]
    ids = line_writes.write(
        feeding.organization,
        feeding.feed_account,
        rows,
        now=feeding.now,
        import_id=None,
        rules=rules.for_trigger(feeding.organization, "TRANSACTION_INGESTED"),
        act_id=feeding.act_id,
    )
    for each, row_id in zip(new, ids, strict=True):
        each.row_id = row_id
        each.settle("PENDING" if each.line.pending else "NEW", row_id)


def _book(feeding: Feeding, lines: Sequence[Judged], twins: matching.Twins) -> None:
    """Book lines that were pending under the same id; one that was taken for another line is a line of its own."""
    rows = _rows(feeding, lines)
    booked: list[int] = []
    for each in lines:
        row = rows[each.row_id]
        if each.said is not None and each.said.kept_id is not None:
            reason = "The bank booked it under its own id."
            join_records.refuse_by_bank(row.organization_id, row.id, reason=reason, now=feeding.now)
        bank_changes.write_facts(row, each.facts, now=feeding.now)
        if matching.is_joined(each, twins):
            join_records.remove_from_books(row, now=feeding.now)
        else:
            join_records.add_to_books(row, now=feeding.now)
            booked.append(row.id)
        each.settle("CHANGED", row.id, "It was pending and is booked now.")
    _run_rules(feeding, booked, "TRANSACTION_INGESTED")


def _change(feeding: Feeding, lines: Sequence[Judged]) -> None:
    rows = _rows(feeding, lines)
    kept_rows = lookups.by_id(
        Transaction, feeding.organization.id, [each.said.kept_id for each in lines if each.said]
    )
    held = bank_changes.fetch_entries([*rows.values(), *kept_rows.values()])
    settled: list[Transaction] = []
    changed: list[int] = []
    for each in lines:
        row = rows[each.row_id]
        kept = kept_rows.get(each.said.kept_id if each.said else None)
        if each.line.pending:
            bank_changes.write_facts(row, each.facts, now=feeding.now)
            each.settle("CHANGED", (kept or row).id, "It is still pending.")
            continue
        was = bank_changes.facts_of(row)
        reason = bank_changes.apply(row, each.facts, now=feeding.now)
        if kept is not None:
            reason = _pass_on(kept, was, each.facts, feeding.now) or reason
        settled.append(kept or row)
        if reason:
            changed.append((kept or row).id)
        verdict = "DELETED" if (kept or row).status == "DELETED" else "CHANGED"
        each.settle(verdict, (kept or row).id, DELETED_REASON if verdict == "DELETED" else reason)
    held.clear()
    _settle_statements(feeding, settled)
    _run_rules(feeding, changed, "TRANSACTION_UPDATED")


def _run_rules(feeding: Feeding, line_ids: Sequence[int], trigger: str) -> None:
    """Run the rules of a trigger on lines of this push that are in the books by now."""
    rule_writes.run_on(feeding.organization, line_ids, trigger, act_id=feeding.act_id, now=feeding.now)


def _settle_statements(feeding: Feeding, changed: Sequence[Transaction]) -> None:
    """Keep what is set aside and what an open draft clears to what the changed lines say now."""
    if not changed:
        return
    account = feeding.feed_account
    set_asides.resynchronise(account, now=feeding.now)
    draft = reconciliations.draft_of(account)
    cleared = {item.transaction_id for item in clearing.items_of(draft)} if draft is not None else set()
    if draft is not None and cleared & {line.id for line in changed}:
        clearing.prune(account, draft)
        clearing.advance(draft)


def _pass_on(kept: Transaction, was: Facts, now_says: Facts, now: datetime) -> str:
    """Let the line that a changed report was joined to follow in day and amount; its own text is another source's."""
    if (was.booked_on, was.amount_minor) == (now_says.booked_on, now_says.amount_minor):
        return ""
    facts = bank_changes.facts_of(kept)._replace(
        booked_on=now_says.booked_on, amount_minor=now_says.amount_minor
    )
    return bank_changes.apply(kept, facts, now=now)


def _rows(feeding: Feeding, lines: Iterable[Judged]) -> dict[int | None, Transaction]:
    return lookups.by_id(Transaction, feeding.organization.id, [each.row_id for each in lines])
