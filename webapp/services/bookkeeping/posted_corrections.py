"""Corrections of posted entries by hand: written as the entry shall be, of which the difference is posted."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime

from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.boxes import OF_ITEM, TAX
from webapp.ledger.journal.corrections import effective
from webapp.ledger.journal.entries import Leg, check_moves
from webapp.models import JournalEntry, TaxCode
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import entries, manual_entries
from webapp.queries.tax import parts
from webapp.services.audit import field_changes, titles
from webapp.services.audit.act import Act, Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping.manual_entries import EntryStateError, NotManualError
from webapp.services.bookkeeping.posting_inputs import PostingInputs, legs_of
from webapp.services.journal import corrections, line_drafts
from webapp.services.tax import coding

THE_INVOICE = "THE_INVOICE"


class WhyMissingError(UnprocessableError):
    """This lowers the tax of a sale that a return has: say whether our entry or the invoice was wrong."""

    code = "why_missing"


class CreditNoteExpectedError(LedgerError):
    """Tax on an issued invoice is due until a credit note; book the credit note instead, on its own day."""

    code = "credit_note_expected"


class RatedAnewError(UnprocessableError):
    """Taxes of other currencies are at the rate of their tax point; send the postings with it, and their taxes."""

    code = "postings_missing"


def correct(
    entry: JournalEntry,
    *,
    postings: PostingInputs | None = None,
    tax_point: date | None = None,
    reason: str,
    why: str | None = None,
    actor: Actor,
    now: datetime,
) -> JournalEntry:
    """Correct a posted entry that somebody wrote, on its day or the first open one; its tax point stays unless named.

    Without `postings` it has another tax point and is as it was otherwise. `why` says what was wrong where it lowers
    the tax of a sale in a return, OUR_ENTRY or THE_INVOICE.
    """
    payload = {
        "postings": field_changes.jsonable(postings),
        "taxPoint": field_changes.jsonable(tax_point),
        "reason": reason,
        "why": why,
    }
    target, title = ("journal_entry", entry.id), f"Corrected {titles.of_entry(entry)}"
    with act(actor, now, "correct_journal_entry", target, title=title, note=reason, payload=payload) as doing:
        if not manual_entries.is_manual(entry):
            raise NotManualError
        if entry.status != "POSTED":
            raise EntryStateError(f"Entry {entry.id} is not posted, and only what is posted is corrected.")
        present = entries.effective_legs(entry)
        if postings is None:
            wanted = _on_tax_point(entry, present, tax_point or entry.effective_on)
        else:
            wanted = _as_written(entry, present, postings, tax_point)
        check_moves(wanted, of_document=entry.document_id is not None)
        ask_why(entry, wanted, why)
        _post(entry, present, wanted, doing)
    return entry


def take_back(entry: JournalEntry, correction: JournalEntry, *, actor: Actor, now: datetime) -> None:
    """Correct an entry so that it is as it was without one of its corrections."""
    title = f"Took back a correction of {titles.of_entry(entry)}"
    with act(actor, now, "correct_journal_entry", ("journal_entry", entry.id), title=title) as doing:
        others = [each for each in entries.corrections_of(entry) if each.id != correction.id]
        states = entries.in_base(entry, [entries.legs_of(each) for each in (entry, *others)])
        _post(entry, entries.effective_legs(entry), effective(*states), doing)


def _post(entry: JournalEntry, present: Sequence[Leg], target: Sequence[Leg], doing: Act) -> None:
    """Post the difference of two states of an entry, if there is any."""
    marker = corrections.set_correction_target(entry, target, now=doing.now)
    if marker is None:
        doing.nothing_to_do()
        return
    doing.before = field_changes.of_legs(present, entry.description, base=entry.base_currency)
    corrections.post_marker(entry, marker, doing)
    doing.after = field_changes.of_legs(target, entry.description, base=entry.base_currency)


def _as_written(
    entry: JournalEntry, present: Sequence[Leg], postings: PostingInputs, tax_point: date | None
) -> Sequence[Leg]:
    """Give the legs that somebody wrote, with the codes of the entry valid or not, on its tax point or another one."""
    organization = organizations.get(entry.organization_id)
    taxed = [leg for leg in present if leg.tax_point is not None]
    known = frozenset(leg.tax_code_id for leg in taxed if leg.tax_code_id is not None)
    day = tax_point or (taxed[0].tax_point if taxed else None) or entry.effective_on
    is_foreign = any(leg.currency != entry.base_currency for leg in entries.legs_of(entry))
    legs = legs_of(organization, postings, day, takes_shares=is_foreign, known_codes=known)
    mirrored = line_drafts.mirror_legs(
        organization, legs, entry.effective_on, document_id=entry.document_id, is_written=True
    )
    return entries.in_base(entry, [mirrored])[0]


def _on_tax_point(entry: JournalEntry, present: Sequence[Leg], tax_point: date) -> Sequence[Leg]:
    """Give an entry with its taxes on another tax point, or refuse one whose taxes have a rate of each."""
    if any(leg.currency != entry.base_currency for leg in present):
        raise RatedAnewError(fields={"postings": [str(RatedAnewError.__doc__)]})
    coding.check_tax_point(entry.organization_id, present, tax_point)
    return [leg if leg.tax_point is None else replace(leg, tax_point=tax_point) for leg in present]


def ask_why(entry: JournalEntry, target: Sequence[Leg], why: str | None) -> None:
    """Refuse to lower the tax of a sale that a return has, unless our entry was what was wrong."""
    if not manual_entries.is_manual(entry) or not _lowers(entry, target) or not parts.has_stamps(entry):
        return
    if why is None:
        raise WhyMissingError(fields={"why": [str(WhyMissingError.__doc__)]})
    if why == THE_INVOICE:
        raise CreditNoteExpectedError


def _lowers(entry: JournalEntry, target: Sequence[Leg]) -> bool:
    """Return whether another state of an entry has less tax of sales."""
    present = entries.effective_legs(entry)
    ids = {leg.tax_code_id for leg in (*present, *target)}
    codes = lookups.by_id(TaxCode, entry.organization_id, ids)
    sums = [
        sum(
            box.amount_minor
            for leg in legs
            for box in leg.boxes
            if (box.form, box.box) == (OF_ITEM, TAX) and codes[leg.tax_code_id].side == "SALE"
        )
        for legs in (present, target)
    ]
    return sums[1] < sums[0]
