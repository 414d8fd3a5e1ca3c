"""The inverses of acts on journal entries."""

from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any, Final

from webapp.database.sessions import db
from webapp.ledger.journal.entries import Leg, keeps_base, mirrored
from webapp.ledger.money import Money
from webapp.models import ActionRequest, JournalEntry
from webapp.queries.journal import entries
from webapp.queries.journal import manual_entries as manual_queries
from webapp.queries.transactions import transactions
from webapp.services.audit import field_changes
from webapp.services.bookkeeping import manual_entries, posted_corrections, voids
from webapp.services.bookkeeping.posting_inputs import PostingInput
from webapp.services.tax import reliefs
from webapp.services.undo import transactions as lines
from webapp.services.undo.reasons import ChangedSinceError, Undoing, stay

TAXED: Final = "It had tax codes; write it again with these."


def uncreate(undoing: Undoing, request: ActionRequest) -> str:
    """Delete a draft that was written, or void the entry where it was posted at once."""
    entry = _entry(undoing, request)
    if request.payload.get("post"):
        return _void(undoing, request, entry, copy=False)
    _require_as_written(entry, request.after or {})
    manual_entries.delete(entry, **undoing.by)
    return "Delete the draft."


def unchange(undoing: Undoing, request: ActionRequest) -> str:
    """Restore a draft as it was before a change."""
    entry = _entry(undoing, request)
    if request.payload.get("post"):
        _void(undoing, request, entry, copy=True)
        entry = _entry(undoing, request)
    _require_as_written(entry, request.after or {})
    _rewrite(undoing, entry, request.before or {})
    return "Restore the draft as it was before."


def unpost(undoing: Undoing, request: ActionRequest) -> str:
    """Void an entry that was posted, with a copy of it as a draft."""
    return _void(undoing, request, _entry(undoing, request), copy=True)


def unadjust(undoing: Undoing, request: ActionRequest) -> str:
    """Void what adjusted taxes."""
    return _void(undoing, request, _entry(undoing, request), copy=False)


def unrelieve(undoing: Undoing, request: ActionRequest) -> str:
    """Take back the relief of a bad debt."""
    ids = [int(each) for each in (request.after or {})["journalEntryIds"]]
    entry = entries.get(undoing.actor.organization_id, ids[0])
    reliefs.take_back(entry, reason=undoing.reason, **undoing.by)
    return f"Take back the relief of entry {entry.id}."


def uncorrect(undoing: Undoing, request: ActionRequest) -> str:
    """Correct an entry again, so that it is as it was before a correction; the newest one only."""
    entry = _entry(undoing, request)
    family = entries.corrections_of(entry)
    if entry.status != "POSTED" or not family or family[-1].action_request_id != request.id:
        raise ChangedSinceError
    posted_corrections.take_back(entry, family[-1], **undoing.by)
    return f"Correct entry {entry.id} again, as it was before."


def bring_back(undoing: Undoing, request: ActionRequest) -> str:
    """Write a deleted draft again."""
    before = request.before or {}
    entry = manual_entries.create(
        effective_at=date.fromisoformat(before["effectiveAt"]),
        postings=_postings_before(before),
        description=before["description"],
        document_id=before.get("documentId"),
        force=True,
        **undoing.by,
    )
    undoing.move("journal_entry", int(request.target_id), entry.id)
    return "Create the draft again."


def unvoid(undoing: Undoing, request: ActionRequest) -> str:
    """Post again what a void cancelled: a bank line by its fresh draft, an entry written by hand anew."""
    voided = _entry(undoing, request)
    made = (request.result or {})["journalEntryIds"][1:]
    if voided.source == "bank_feed":
        if len(made) > 1:
            stay("It was of two lines, which are separate now; pair them and confirm again.")
        if not made:
            stay("The bank had removed the line, so there is nothing to confirm again.")
        fresh = entries.get(voided.organization_id, undoing.present_id("journal_entry", made[0]))
        line_ids = entries.transactions_of(entries.legs_of(fresh))
        line = transactions.get(voided.organization_id, line_ids[0])
        sentence = lines.post_again(undoing, line, fresh.id, voided)
        is_marked = bool((request.result or {}).get("deletedJournalEntryIds"))
        return f"{sentence} Its open correction no longer exists." if is_marked else sentence
    if made:
        copy = entries.get(voided.organization_id, undoing.present_id("journal_entry", made[0]))
        manual_entries.post(copy, version=None, force=True, **undoing.by)
        undoing.move("journal_entry", voided.id, copy.id)
        return "Post the copy that the void made."
    written = manual_entries.create(
        effective_at=voided.effective_on,
        postings=_postings(entries.effective_legs(voided), voided.base_currency),
        description=voided.description,
        document_id=voided.document_id,
        post=True,
        force=True,
        **undoing.by,
    )
    undoing.move("journal_entry", voided.id, written.id)
    return f"Post the same entry again; entry {voided.id} stays voided."


def _void(undoing: Undoing, request: ActionRequest, entry: JournalEntry, *, copy: bool) -> str:
    if entry.status != "POSTED" or entry.action_request_id != request.id:
        raise ChangedSinceError
    done = voids.void(entry, reason=undoing.reason, copy=copy, **undoing.by).result.journal_entry_ids
    db.session.expire_all()
    if copy:
        undoing.move("journal_entry", entry.id, done[-1])
    day = entries.get(entry.organization_id, done[0]).effective_on
    return f"Void entry {entry.id} on {day:%-d %b %Y}{'; a draft of it stays' if copy else ''}."


def _rewrite(undoing: Undoing, entry: JournalEntry, before: Mapping[str, Any]) -> None:
    manual_entries.change(
        entry,
        version=manual_queries.version(entry) or "",
        effective_at=date.fromisoformat(before["effectiveAt"]),
        postings=_postings_before(before),
        description=before["description"],
        is_exact=True,
        force=True,
        **undoing.by,
    )


def _entry(undoing: Undoing, request: ActionRequest) -> JournalEntry:
    return entries.get(undoing.actor.organization_id, undoing.target_id(request))


def _require_as_written(entry: JournalEntry, written: Mapping[str, Any]) -> None:
    """Raise ChangedSinceError for a draft that was changed since, or is none any more."""
    legs = entries.legs_of(entry)
    present = field_changes.of_legs(legs, entry.description, base=entry.base_currency)
    is_same = all(present[name] == written.get(name) for name in ("description", "postings"))
    if entry.status != "DRAFT" or not is_same:
        raise ChangedSinceError


def _postings_before(before: Mapping[str, Any]) -> list[PostingInput]:
    if any("taxCodeId" in each for each in before["postings"]):
        stay(TAXED)
    return [
        {
            "account_id": each["accountId"],
            "amount": Decimal(each["amount"]),
            "amount_base": Decimal(each["amountBase"]) if "amountBase" in each else None,
            "currency": each["currency"],
            "project_id": each["projectId"],
            "org_merchant_id": each["orgMerchantId"],
            "due_on": date.fromisoformat(each["dueOn"]) if "dueOn" in each else None,
            "reference": each.get("reference"),
        }
        for each in before["postings"]
    ]


def _postings(legs: Sequence[Leg], base: str) -> list[PostingInput]:
    if any(leg.tax_code_id for leg in legs):
        stay(TAXED)
    return [
        {
            "account_id": leg.account_id,
            "amount": Decimal(str(Money(leg.amount_minor, leg.currency))),
            "amount_base": Decimal(str(Money(mirrored(leg), base))) if keeps_base(leg) else None,
            "currency": leg.currency,
            "project_id": leg.project_id,
            "org_merchant_id": leg.merchant_id,
            "due_on": leg.due_on,
            "reference": leg.reference,
        }
        for leg in legs
    ]
