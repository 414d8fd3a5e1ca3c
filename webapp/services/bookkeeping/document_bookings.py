"""Booking a document in one step: its entry, or the splits of the line that pays it, by what it states."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from decimal import Decimal

from webapp.ledger.canonical import camel
from webapp.ledger.errors import UnprocessableError
from webapp.models import Account, Document, JournalEntry, Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.suggestions import document_bookings
from webapp.queries.suggestions.document_bookings import BookedPart, ChosenAccounts
from webapp.services.audit.act import Actor
from webapp.services.audit.results import ActionResult
from webapp.services.bookkeeping import entry_questions, manual_entries
from webapp.services.bookkeeping.posting_inputs import PostingInput
from webapp.services.transactions import edits
from webapp.services.transactions.changed_legs import LineChanges

FIELDS = {
    "NET": "accountId",
    "TAX": "taxAccountId",
    "OWED": "counterAccountId",
    "PREPAID": "prepaidAccountId",
    "THIRD_PARTY": "thirdPartyAccountId",
    "WITHHELD": "withheldAccountId",
    "SPLIT_TAX": "splitTaxAccountId",
    "ROUNDING": "roundingAccountId",
}


class AccountMissingError(UnprocessableError):
    """Say which account the parts of this document go to; the books suggest none."""

    code = "account_missing"


def enter(
    document: Document,
    chosen: ChosenAccounts,
    *,
    amount_base: Decimal | None = None,
    post: bool = False,
    force: bool = False,
    actor: Actor,
    now: datetime,
) -> JournalEntry:
    """Write the entry of a document, on its day or the first open one, as a draft or posted at once.

    `amount_base` is what its total is in the base currency at a rate of its own, without a sign. Raises
    NotInPartsError, AccountMissingError and what writing an entry raises.
    """
    refer(chosen, document.organization_id)
    today = organizations.today(actor.organization_id, now)
    day = organizations.first_open_day(actor.organization_id, document.issued_on or today)
    parts = _complete(document_bookings.postings(document, chosen, day, amount_base))
    return manual_entries.create(
        effective_at=day,
        postings=[_posting(each, amount_base) for each in parts],
        description=document.label,
        post=post,
        document_id=document.id,
        is_stated=True,
        force=force,
        actor=actor,
        now=now,
    )


def split(
    line: Transaction,
    document_id: int,
    chosen: ChosenAccounts,
    *,
    force: bool = False,
    actor: Actor,
    now: datetime,
) -> ActionResult:
    """Split a line that pays a document by what that states; one part alone becomes the line's account.

    Raises UnknownReferenceError, NotAnInvoiceError, NotInPartsError, AccountMissingError and what changing a line
    raises.
    """
    document = lookups.refer(Document, line.organization_id, document_id, "documentId")
    entry_questions.ask_about_document(document, force=force)
    refer(chosen, line.organization_id)
    parts = _complete(document_bookings.splits(document, line, chosen))
    changes: LineChanges
    if len(parts) == 1:
        changes = {"account_id": parts[0].account_id, **_chosen_of(parts[0])}  # type: ignore[typeddict-item]
    else:
        changes = {
            "splits": [
                {
                    "account_id": each.account_id or 0,
                    "amount": each.amount.decimal,
                    "project_id": each.project_id,
                    "org_merchant_id": each.org_merchant_id,
                }
                for each in parts
            ],
            "document_id": document.id,
        }
    return edits.edit(line, changes, actor=actor, now=now)


def _chosen_of(part: BookedPart) -> dict[str, int]:
    chosen = {"project_id": part.project_id, "org_merchant_id": part.org_merchant_id}
    return {name: value for name, value in chosen.items() if value is not None}


def refer(chosen: ChosenAccounts, organization_id: str) -> None:
    """Raise UnknownReferenceError for an account that is not there."""
    for name, account_id in asdict(chosen).items():
        if account_id is not None:
            lookups.refer(Account, organization_id, account_id, camel(name))


def _complete(parts: Sequence[BookedPart]) -> Sequence[BookedPart]:
    missing = dict.fromkeys(FIELDS[each.kind] for each in parts if each.account_id is None)
    if missing:
        raise AccountMissingError(fields={name: ["Choose an account."] for name in missing})
    return parts


def _posting(part: BookedPart, amount_base: Decimal | None) -> PostingInput:
    own = amount_base if part.kind == "OWED" else None
    written: PostingInput = {
        "account_id": part.account_id or 0,
        "amount": part.amount.decimal,
        "amount_base": None if own is None else own.copy_sign(part.amount.decimal),
        "currency": part.amount.currency,
        "org_merchant_id": part.org_merchant_id,
        "project_id": part.project_id,
        "due_on": part.due_on,
        "reference": part.reference,
    }
    return written
