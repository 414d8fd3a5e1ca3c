"""Corrections of posted entries by hand: written as the entry shall be, of which the difference is posted."""

from collections.abc import Sequence
from datetime import datetime

from webapp.ledger.errors import LedgerError, UnprocessableError
from webapp.ledger.journal.boxes import OF_ITEM, TAX
from webapp.ledger.journal.entries import Leg, check_moves
from webapp.models import JournalEntry, TaxCode
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.journal import entries, manual_entries
from webapp.queries.tax import parts
from webapp.services.audit import field_changes, titles
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping.manual_entries import EntryStateError, NotManualError
from webapp.services.bookkeeping.posting_inputs import PostingInputs, legs_of
from webapp.services.journal import corrections, line_drafts

THE_INVOICE = "THE_INVOICE"


class WhyMissingError(UnprocessableError):
    """This lowers the tax of a sale that a return has: say whether our entry or the invoice was wrong."""

    code = "why_missing"


class CreditNoteExpectedError(LedgerError):
    """Tax on an issued invoice is due until a credit note; book the credit note instead, on its own day."""

    code = "credit_note_expected"


def correct(
    entry: JournalEntry,
    *,
    postings: PostingInputs,
    reason: str,
    why: str | None = None,
    actor: Actor,
    now: datetime,
) -> JournalEntry:
    """Correct a posted entry that somebody wrote, on its day or the first open one; its tax point stays unless named.

    `why` says what was wrong where it lowers the tax of a sale in a return, OUR_ENTRY or THE_INVOICE.
    """
    organization = organizations.get(entry.organization_id)
    payload = {"postings": field_changes.jsonable(postings), "reason": reason, "why": why}
    target, title = ("journal_entry", entry.id), f"Corrected {titles.of_entry(entry)}"
    with act(actor, now, "correct_journal_entry", target, title=title, note=reason, payload=payload) as doing:
        if not manual_entries.is_manual(entry):
            raise NotManualError
        if entry.status != "POSTED":
            raise EntryStateError(f"Entry {entry.id} is not posted, and only what is posted is corrected.")
        present = entries.effective_legs(entry)
        taxed = [leg for leg in present if leg.tax_point is not None]
        day = taxed[0].tax_point if taxed else None
        known = frozenset(leg.tax_code_id for leg in taxed if leg.tax_code_id is not None)
        legs = legs_of(organization, postings, day or entry.effective_on, known_codes=known)
        mirrored = line_drafts.mirror_legs(
            organization, legs, entry.effective_on, document_id=entry.document_id, is_written=True
        )
        check_moves(mirrored, of_document=entry.document_id is not None)
        ask_why(entry, mirrored, why)
        marker = corrections.set_correction_target(entry, mirrored, now=now)
        if marker is None:
            doing.nothing_to_do()
            return entry
        doing.before = field_changes.of_legs(present, entry.description, base=entry.base_currency)
        corrections.post_marker(entry, marker, doing)
        doing.after = field_changes.of_legs(mirrored, entry.description, base=entry.base_currency)
    return entry


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
