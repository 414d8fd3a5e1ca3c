"""The inverses of acts on bank lines."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError
from webapp.ledger.journal.boxes import BoxAmount
from webapp.ledger.journal.corrections import effective, is_same
from webapp.ledger.journal.entries import Leg
from webapp.ledger.money import Money
from webapp.models import (
    ActionRequest,
    JournalEntry,
    ReconciliationItem,
    RuleSetting,
    Transaction,
    TransferPair,
    refers_to,
)
from webapp.queries.accounts import accounts
from webapp.queries.items import settlements as settlements_queries
from webapp.queries.journal import entries, target_legs
from webapp.queries.matching import transfer_pairs
from webapp.queries.transactions import transactions
from webapp.services.audit import field_changes
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import TouchedIds
from webapp.services.bookkeeping import voids
from webapp.services.items import paid_lines
from webapp.services.journal import corrections, counter_legs, pair_differences
from webapp.services.transactions import joins, lifecycle, settlements, transfers
from webapp.services.undo.reasons import ChangedSinceError, Undoing, stay

# What two legs share that count as one: account, currency, project and merchant.
Key = tuple[int, str, int | None, int | None]


def unconfirm(undoing: Undoing, request: ActionRequest) -> str:
    """Void what a confirmation posted, so that the line is a draft again; a correction is reversed by another."""
    line = _line(undoing, request)
    entry, result = _entry(line), request.result or {}
    if result.get("deletedJournalEntryIds"):
        return _uncorrect(undoing, request, line, entry)
    if entry.id not in [undoing.present_id("journal_entry", each) for each in result["journalEntryIds"]]:
        raise ChangedSinceError
    _require_uncleared(line)
    is_corrected = not is_same(entries.effective_legs(entry), entries.legs_of(entry))
    if is_corrected or entries.marker_of(entry) is not None:
        raise ChangedSinceError("Somebody corrected it since, so it is left as it is.")
    pair = transfer_pairs.active(line.organization_id, line.id)
    other = transactions.get(line.organization_id, pair.other_id) if pair is not None else None
    is_shared = other is not None and other.journal_entry_id == entry.id
    done = voids.void(entry, reason=undoing.reason, **undoing.by)
    db.session.expire_all()
    if other is not None and is_shared:
        transfers.pair(line, other, **undoing.by)
    day = entries.get(line.organization_id, done.result.journal_entry_ids[0]).effective_on
    return f"Void entry {entry.id} on {day:%-d %b %Y}; the line can be confirmed again."


def _uncorrect(undoing: Undoing, request: ActionRequest, line: Transaction, entry: JournalEntry) -> str:
    """Post the opposite of a correction, and open the marker again that it was posted from."""
    posted = (request.result or {})["journalEntryIds"]
    family = [entry, *entries.corrections_of(entry)]
    place = next((at for at, each in enumerate(family) if [each.id] == posted), None)
    if entry.status != "POSTED" or place is None or entries.marker_of(entry) is not None:
        raise ChangedSinceError
    legs = [entries.legs_of(each) for each in family]
    if effective(*legs[place + 1 :]):
        raise ChangedSinceError("Somebody corrected it again since, so it is left as it is.")
    title = f"Undid a correction of {line.label}"
    with act(**undoing.by, kind="undo_correction", target=("transaction", line.id), title=title) as doing:
        target = entries.effective_legs(entry)
        marker = corrections.set_correction_target(entry, effective(*legs[:place]), now=undoing.now)
        correction = None if marker is None else corrections.post_marker(entry, marker, doing)
        pair_differences.realise(line)
        back = corrections.set_correction_target(entry, target, now=undoing.now)
        made = [each.id for each in (correction, back) if each is not None]
        doing.result = TouchedIds(made).as_json()
    return "Post the opposite of the correction, which can be confirmed again."


def unedit(undoing: Undoing, request: ActionRequest) -> str:
    """Restore the entry of a line as it was before an edit."""
    line = _line(undoing, request)
    entry, before, after = _entry(line), request.before or {}, request.after or {}
    if _is_posted_since(entry, request):
        raise ChangedSinceError("It was posted since; edit the line to correct it.")
    present = target_legs.of(entry)
    is_changed = sums_of_legs(present) != sums_of_legs(stored_legs(after))
    if is_changed or entry.description != after["description"]:
        raise ChangedSinceError
    title = f"Restored the entry of {line.label}"
    with act(**undoing.by, kind="undo_edit", target=("transaction", line.id), title=title) as doing:
        doing.before = field_changes.of_legs(present, entry.description)
        if entry.status == "DRAFT":
            paid_lines.put_back(line, before)
        counter_legs.put_counters(line, entry, stored_counter_legs(line, before), now=undoing.now)
        entry.description = before["description"]
        db.session.flush()
        doing.after = field_changes.of_legs(target_legs.of(entry), entry.description)
        _reinstate_settings(request, line)
    _pair_again(undoing, line, request.decided_at)
    return "Restore the line's entry as it was before."


def undiscard(undoing: Undoing, request: ActionRequest) -> str:
    """Open a discarded correction again."""
    line = _line(undoing, request) if request.target_kind == "transaction" else None
    entry = _entry(line) if line is not None else None
    if line is None or entry is None or entry.status != "POSTED" or entries.marker_of(entry) is not None:
        raise ChangedSinceError
    title = f"Restored the correction of {line.label}"
    with act(**undoing.by, kind="undo_discard", target=("transaction", line.id), title=title) as doing:
        counter_legs.correct_counters(
            entry, {line.id: stored_counter_legs(line, request.before or {})}, now=undoing.now
        )
        doing.after = request.before
    return "Open the discarded correction again."


def bring_back(undoing: Undoing, request: ActionRequest) -> str:
    """Bring a deleted line back, with its draft."""
    line, before = _line(undoing, request), request.before or {}
    legs = counter_legs.from_stored(line, before["counters"]) if before.get("counters") else None
    paid_lines.put_back(line, before)
    lifecycle.restore(line, legs=legs, description=before.get("description"), **undoing.by)
    return "Restore the line with its draft."


def delete_again(undoing: Undoing, request: ActionRequest) -> str:
    """Take a line out again that was brought back: it is deleted, or removed as its bank had it."""
    line = _line(undoing, request)
    if (request.before or {}).get("status") != "REMOVED":
        lifecycle.delete(line, **undoing.by)
        return "Delete the line again."
    _require_uncleared(line)
    if line.journal_entry is not None and _is_posted_since(line.journal_entry, request):
        raise ChangedSinceError
    lifecycle.remove_again(line, **undoing.by)
    return "Remove the line again."


def unpair(undoing: Undoing, request: ActionRequest) -> str:
    """End a transfer."""
    transfers.unpair(_line(undoing, request), _other(request), **undoing.by)
    return "End the transfer; each line has its own draft again."


def pair_again(undoing: Undoing, request: ActionRequest) -> str:
    """Pair the two lines of an ended transfer again."""
    difference = (request.before or {}).get("difference")
    transfers.pair(_line(undoing, request), _other(request), difference=difference, **undoing.by)
    return "Pair the two lines as a transfer again."


def unsettle(undoing: Undoing, request: ActionRequest) -> str:
    """Undo a settlement of open items."""
    [settlement_id] = (request.after or {})["settlementIds"]
    settlement = settlements_queries.get(undoing.by["actor"].organization_id, settlement_id)
    if settlement.status != "STANDING":
        raise ChangedSinceError
    settlements.undo(settlement, reason=undoing.reason, **undoing.by)
    return "Undo the settlement; its items are open again."


def unjoin(undoing: Undoing, request: ActionRequest) -> str:
    """Take two joined rows apart again."""
    joins.unjoin(_line(undoing, request), _other(request), **undoing.by)
    return "Separate the two rows again."


def join_again(undoing: Undoing, request: ActionRequest) -> str:
    """Join two rows as one line again."""
    if (request.before or {}).get("status") != "JOINED":
        stay("They were only suggested to be one line; join them by hand if they are.")
    joins.join(_line(undoing, request), _other(request), **undoing.by)
    return "Join the two rows again."


def post_again(undoing: Undoing, line: Transaction, fresh_id: int, voided: JournalEntry) -> str:
    """Confirm the fresh draft of a line after a void, where it still has the legs that were voided."""
    entry = _entry(line)
    if entry.id != fresh_id or entry.status != "DRAFT":
        raise ChangedSinceError
    if sums_of_legs(entries.legs_of(entry)) != sums_of_legs(entries.effective_legs(voided)):
        raise ChangedSinceError
    lifecycle.confirm(line, **undoing.by, note=undoing.reason)
    undoing.move("journal_entry", voided.id, fresh_id)
    return f"Confirm the line again; entry {voided.id} stays voided, and another one replaces it."


def _line(undoing: Undoing, request: ActionRequest) -> Transaction:
    return transactions.get(undoing.actor.organization_id, int(request.target_id))


def _other(request: ActionRequest) -> Transaction:
    return transactions.get(request.organization_id, request.payload["transactionId"])


def _entry(line: Transaction) -> JournalEntry:
    if line.journal_entry is None:
        raise ChangedSinceError
    return line.journal_entry


def _is_posted_since(entry: JournalEntry, request: ActionRequest) -> bool:
    """Return whether an edited entry, or a correction that is in force, was posted after an act."""
    decided_at = request.decided_at or request.created_at
    if entry.posted_at is not None and entry.posted_at > decided_at:
        return True
    later = [
        entries.legs_of(each)
        for each in entries.corrections_of(entry)
        if each.posted_at is not None and each.posted_at > decided_at
    ]
    return bool(effective(*later))


def _require_uncleared(line: Transaction) -> None:
    cleared = sa.select(ReconciliationItem.reconciliation_id).where(
        refers_to(ReconciliationItem.transaction_id, line),
        ReconciliationItem.is_standing,
    )
    found = db.session.scalar(cleared.order_by(ReconciliationItem.reconciliation_id).limit(1))
    if found is not None:
        raise ChangedSinceError("It is ticked on a statement. Untick it there first.")


def _reinstate_settings(request: ActionRequest, line: Transaction) -> None:
    db.session.execute(
        sa.update(RuleSetting)
        .where(
            refers_to(RuleSetting.transaction_id, line),
            RuleSetting.superseded_by == request.id,
        )
        .values(superseded_by=None)
        .execution_options(synchronize_session=False)
    )


def _pair_again(undoing: Undoing, line: Transaction, at: datetime | None) -> None:
    """Pair a line again with the one that an act separated it from."""
    ended = db.session.scalar(
        sa.select(TransferPair).where(
            refers_to(TransferPair.transaction_id, line),
            TransferPair.status == "UNDONE",
            TransferPair.ended_at == at,
        )
    )
    if ended is not None:
        other_id, difference = ended.other_id, ended.difference
        db.session.expire_all()
        other = transactions.get(line.organization_id, other_id)
        transfers.pair(line, other, difference=difference, **undoing.by)


def stored_legs(facts: Mapping[str, Any]) -> list[Leg]:
    """Read legs as an act stored them."""
    return [
        Leg(
            each["accountId"],
            Money.of(Decimal(each["amount"]), each["currency"]).minor,
            each["currency"],
            project_id=each["projectId"],
            merchant_id=each["orgMerchantId"],
            tax_code_id=each.get("taxCodeId"),
            tax_point=date.fromisoformat(each["taxPoint"]) if each.get("taxPoint") else None,
            boxes=tuple(BoxAmount(*box) for box in each.get("boxes", ())),
        )
        for each in facts["postings"]
    ]


def undo_edits(
    organization_id: str, act_ids: Sequence[str], *, actor: Actor, now: datetime
) -> tuple[int, list[str]]:
    """Give lines back what these edits of the same person changed; answers how many, and why the others stay."""
    found = sa.select(ActionRequest).where(
        ActionRequest.organization_id == organization_id,
        ActionRequest.id.in_(act_ids),
        ActionRequest.kind == "edit_transaction",
        ActionRequest.status == "EXECUTED",
    )
    requests = db.session.scalars(found.order_by(ActionRequest.id.desc())).all()
    mine = [each for each in requests if each.actor == actor.as_json()]
    undoing = Undoing(actor, now, "Undoes a change of several lines", Path())
    kept = [why for why in (_undo_one(undoing, each) for each in mine) if why]
    return len(mine) - len(kept), kept


def _undo_one(undoing: Undoing, request: ActionRequest) -> str | None:
    """Undo one edit in a savepoint of its own; answers why it stays, where it does."""
    try:
        with db.session.begin_nested():
            unedit(undoing, request)
            db.session.flush()
        db.session.expire_all()
    except LedgerError as error:
        return str(error)
    return None


def sums_of_legs(legs: Sequence[Leg]) -> Counter[Key]:
    """Add up legs that differ in nothing but their amount; those that come to nothing are left out."""
    found: Counter[Key] = Counter()
    for leg in legs:
        found[leg.account_id, leg.currency, leg.project_id, leg.merchant_id] += leg.amount_minor
    return Counter({key: amount for key, amount in found.items() if amount})


def stored_counter_legs(line: Transaction, facts: Mapping[str, Any]) -> list[Leg]:
    """Give the counter legs of a line as an act stored them: all but its bank leg.

    Raises ChangedSinceError where the bank leg is another by now, StaysError where the entry was of two lines.
    """
    legs = stored_legs(facts)
    bank = next(
        (
            leg
            for leg in legs
            if (leg.account_id, leg.amount_minor) == (line.feed_account.account_id, line.amount_minor)
        ),
        None,
    )
    if bank is None:
        raise ChangedSinceError("The bank changed the line since, so it is left as it is.")
    legs.remove(bank)
    if any(accounts.feed_of(line.organization_id, leg.account_id) is not None for leg in legs):
        stay("It was one transfer with another line; pair them again.")
    return [replace(leg, amount_base_minor=None) for leg in legs]
