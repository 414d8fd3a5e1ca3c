"""Voiding: one reversal cancels an entry and all its corrections, and a bank line gets a fresh draft."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from functools import partial
from typing import ClassVar, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.corrections import effective, reversal
from webapp.ledger.journal.entries import Leg
from webapp.ledger.references import Kind, Ref
from webapp.models import JournalEntry, Transaction, refers_to
from webapp.queries.access import organizations
from webapp.queries.journal import entries, manual_entries, schedules, voidable
from webapp.queries.journal.voidable import VoidRefusal
from webapp.queries.matching import transfer_pairs
from webapp.services.audit import limits, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.audit.results import ActionResult, ItemResult, TouchedIds, attempt
from webapp.services.bookkeeping import posted_corrections
from webapp.services.bookkeeping import schedules as scheduled
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import line_drafts, open_days, pair_differences, settled_items, settlements
from webapp.services.transactions import bank_changes, unpairing

# An entry takes some 12 ms, and nobody else writes meanwhile.
MOST_AT_ONCE: Final = 30
VOIDED: Final = "One of its items was voided."


class NotVoidableError(LedgerError):
    """This entry cannot be voided by itself."""

    code = "not_voidable"
    codes: ClassVar[Mapping[str, str]] = {
        "not_voidable": "The entry was written by the system and cannot be voided.",
        "draft": "The entry is a draft and counts in no balance. Edit or delete it instead.",
        "voided": "The entry was voided already.",
        "correction": "The entry corrects another one; void that one.",
        "revaluation": "The entry is half of a revaluation; take that back instead.",
        "transfer": "The entry is the exchange difference of a transfer; end the transfer, or void one of its sides.",
        "exchange": "The entry realises what was left when an account came to nil; void what brought it there.",
        "settlement": "The entry was caused by a settlement; undo that one.",
        "stamped": "The entry adjusts a filed tax return; withdraw that first, or adjust the next one.",
        "opening": "The entry opens the books of an account; reopen that proof instead.",
        "before_opening": "The opening balance of an account holds the entry; reopen that proof first.",
    }


class VoidDayError(UnprocessableError):
    """A reversal is dated no earlier than what it cancels."""

    code = "void_day"


def void(
    entry: JournalEntry,
    *,
    reason: str,
    actor: Actor,
    now: datetime,
    effective_on: date | None = None,
    copy: bool = False,
    force: bool = False,
    why: str | None = None,
) -> ActionResult:
    """Cancel an entry with all its corrections, and where it reverses itself, the other one of the two as well.

    A day far ahead needs `force`. With `copy` an entry that was written by hand comes back as a draft; a bank line gets
    one in any case. `why` says what was wrong where it lowers the tax of a sale in a return.
    """
    payload = {
        "reason": reason,
        "effectiveAt": effective_on.isoformat() if effective_on else None,
        "copy": copy,
        **({} if why is None else {"why": why}),
    }
    title = f"Voided entry {entry.id}, {titles.of_entry(entry)}"
    target = ("journal_entry", entry.id)
    with act(actor, now, "void_journal_entry", target, title=title, note=reason, payload=payload) as doing:
        _refuse(voidable.refusal(entry))
        posted_corrections.ask_why(entry, (), why)
        if effective_on is not None:
            journal_entries.check_near(entry.organization_id, effective_on, now, force=force)
        doing.before = {"status": entry.status}
        touched = reverse(entry, doing, effective_on=effective_on)
        for other in schedules.reversed_with(entry):
            _refuse(voidable.refusal(other))
            day = effective_on and max(effective_on, other.effective_on)
            touched = touched.joined(reverse(other, doing, effective_on=day))
        scheduled.give_back(entry, doing)
        if copy and manual_entries.is_manual(entry):
            made = [*touched.journal_entry_ids, _copy(entry, doing).id]
            touched = replace(touched, journal_entry_ids=made)
        doing.result = touched.as_json()
        voided_by = Ref.optional(Kind.JOURNAL_ENTRY, entry.voided_by_id)
        doing.after = {"status": entry.status, "voidedById": voided_by}
    return ActionResult(action_request_id=doing.id, changed=True, result=touched)


def void_many(
    organization_id: str, entry_ids: Sequence[int], *, reason: str, actor: Actor, now: datetime
) -> list[ItemResult]:
    """Void entries one by one; a refused one stops no other. More than fit raise ActTooLargeError."""
    limits.refuse_above(MOST_AT_ONCE, len(entry_ids), "entries", "voided", "Void them in parts.")

    def void_one(entry_id: int) -> ActionResult:
        return void(entries.get(organization_id, entry_id), reason=reason, actor=actor, now=now)

    return [attempt(entry_id, partial(void_one, entry_id)) for entry_id in entry_ids]


def reverse(
    entry: JournalEntry, doing: Act, *, effective_on: date | None = None, on_its_own_day: bool = False
) -> TouchedIds:
    """Post the reversal of an entry's effective state and give its bank lines fresh drafts."""
    marker = entries.marker_of(entry)
    target = None if marker is None else entries.legs_of(marker)
    family = [entry, *entries.corrections_of(entry)]
    family_legs = [entries.legs_of(member) for member in family]
    if marker is not None:
        journal_entries.delete_draft(marker)
    adjusted = None if effective_on else open_days.adjusted(entry)
    day = entry.effective_on if on_its_own_day else adjusted or _reversal_day(family, effective_on, doing)
    cancelling = journal_entries.add_draft(
        organizations.get(entry.organization_id),
        day,
        reversal(*family_legs),
        source="void",
        description=entry.description,
        now=doing.now,
        voids_id=entry.id,
        is_closing=entry.is_closing,
        is_adjusting=adjusted is not None,
        appropriates_on=entry.appropriates_on,
    )
    settled_items.release(entry, VOIDED, day)
    settled_items.make_room(entry, entries.legs_of(cancelling), VOIDED, day)
    latest = max(member.effective_on for member in family)
    fact = journal_entries.fact_of(cancelling, latest)
    journal_entries.post(cancelling, doing, is_opening=on_its_own_day, fact=fact)
    journal_entries.mark_voided(family, cancelling)
    doing.corrected.add(entry.id)
    settlements.settle_with_reversal(entry, cancelling)
    # A line of 0.00 has no effective legs, and keeps those of its entry.
    in_force = effective(*family_legs) or tuple(family_legs[0])
    fresh = _fresh_drafts(entry, in_force, target or in_force, day, doing.now)
    return TouchedIds(
        [cancelling.id, *fresh],
        deleted_journal_entry_ids=[] if marker is None else [marker.id],
        voided_journal_entry_ids=[member.id for member in family],
    )


def check_not_opened(entries: Sequence[JournalEntry]) -> None:
    """Refuse to cancel what an opening balance includes, naming the proof that is to be reopened first."""
    refusals = voidable.opened(entries[0].organization_id, entries)
    _refuse(next(iter(refusals.values()), None))


def _refuse(refusal: VoidRefusal | None) -> None:
    if refusal is not None:
        raise NotVoidableError(refusal.sentence, details=refusal.details, code=refusal.code)


def _copy(entry: JournalEntry, doing: Act) -> JournalEntry:
    """Write the effective legs of a voided entry as a draft, dated as the reversal: no day between counts it twice."""
    reversal_day = entries.get(entry.organization_id, entry.voided_by_id or 0).effective_on
    return journal_entries.add_draft(
        organizations.get(entry.organization_id),
        reversal_day,
        entries.effective_legs(entry) or entries.legs_of(entry),
        source=entry.source,
        description=entry.description,
        now=doing.now,
        document_id=entry.document_id,
        is_closing=entry.is_closing,
        is_adjusting=open_days.adjusted(entry) == reversal_day,
        appropriates_on=entry.appropriates_on,
    )


def _reversal_day(family: list[JournalEntry], requested: date | None, doing: Act) -> date:
    organization_id = family[0].organization_id
    latest = max(member.effective_on for member in family)
    first = organizations.first_open_day(organization_id, latest)
    if requested is None:
        return first
    if requested < latest:
        sentence = f"What it cancels is dated {latest:%-d %b %Y}. Date the reversal that day or later."
        raise VoidDayError(sentence, fields={"effectiveAt": [sentence]})
    open_days.check_named(requested, doing)
    return requested


def _fresh_drafts(
    entry: JournalEntry, in_force: Sequence[Leg], target: Sequence[Leg], day: date, now: datetime
) -> list[int]:
    """Give every line of a voided entry a draft of its own again, dated as the reversal.

    A line that stays one side of a linked transfer goes where its open correction would have taken it: that is what
    the pair asks for.
    """
    lines = db.session.scalars(
        sa.select(Transaction).where(refers_to(Transaction.journal_entry_id, entry)).order_by(Transaction.id)
    ).all()
    made = []
    for line in lines:
        is_gone = line.status in ("REMOVED", "DELETED")
        if is_gone or len(lines) > 1:
            unpairing.unpair(line, now=now, on=day)
        line.journal_entry_id = None
        if is_gone:
            continue
        # A line of a transfer has no counter legs but the other bank's: each starts uncategorised again.
        is_linked = transfer_pairs.active(line.organization_id, line.id) is not None
        counter = line_drafts.unmirrored(target if is_linked else in_force, line.id)
        bank = next((leg for leg in in_force if leg.is_bank_leg and leg.transaction_id == line.id), None)
        own_day = bank_changes.own_day(line, entry)
        made.append(
            line_drafts.add(
                line,
                now=now,
                counter_legs=bank_changes.fitting_counters(line, counter, bank) if counter else None,
                effective_on=own_day or day,
                description=entry.description,
            ).id
        )
        if is_linked:
            pair_differences.realise(line)
    db.session.flush()
    return made
