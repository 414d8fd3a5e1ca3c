"""Booking a document in one step: its entry, or the splits of the line that pays it, by what it states."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime
from decimal import Decimal
from typing import NotRequired, TypedDict

from webapp.ledger.canonical import camel
from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import Money
from webapp.models import Account, Document, JournalEntry, TaxCode, Transaction
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.documents import stated_taxes
from webapp.queries.suggestions import document_bookings
from webapp.queries.suggestions.document_bookings import BookedPart, ChosenAccounts
from webapp.services.audit.act import Actor
from webapp.services.audit.results import ActionResult
from webapp.services.bookkeeping import entry_questions, manual_entries
from webapp.services.bookkeeping.posting_inputs import PostingInput
from webapp.services.tax.coding import TaxInput
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


class DocumentTax(TypedDict):
    """The tax code of what a document states by a category and rate; without them, of all others."""

    category: NotRequired[str | None]
    rate: Decimal | None
    tax_code_id: int


class TaxCodeMissingError(UnprocessableError):
    """Each rate of a document with tax codes has one; name that of the other rates, too."""

    code = "tax_code_missing"


class AccountMissingError(UnprocessableError):
    """Say which account the parts of this document go to; the books suggest none."""

    code = "account_missing"


def enter(
    document: Document,
    chosen: ChosenAccounts,
    *,
    amount_base: Decimal | None = None,
    tax_codes: Sequence[DocumentTax] = (),
    tax_point: date | None = None,
    post: bool = False,
    force: bool = False,
    actor: Actor,
    now: datetime,
) -> JournalEntry:
    """Write the entry of a document, on its day or the first open one, as a draft or posted at once.

    With `tax_codes` its tax is on their accounts, as it states it, on `tax_point` or the one that it states.
    `amount_base` is what its total is in the base currency at a rate of its own, without a sign. Raises
    NotInPartsError, AccountMissingError and what writing an entry raises.
    """
    refer(chosen, document.organization_id)
    today = organizations.today(actor.organization_id, now)
    day = organizations.first_open_day(actor.organization_id, document.issued_on or today)
    stated = document_bookings.postings(document, chosen, day, amount_base)
    own = [each for each in stated if not (tax_codes and each.kind == "TAX")]
    taxes = _taxes(document, own, tax_codes, tax_point)
    return manual_entries.create(
        effective_at=day,
        postings=[_posting(each, amount_base, taxes.get(place)) for place, each in enumerate(_complete(own))],
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


def _taxes(
    document: Document,
    parts: Sequence[BookedPart],
    tax_codes: Sequence[DocumentTax],
    tax_point: date | None,
) -> dict[int, TaxInput]:
    """Give the taxes of the parts of a document by their places, as it states them, without its tax itself.

    Without a stated tax what it states includes that.
    """
    if not tax_codes:
        return {}
    chosen = {(each.get("category"), each["rate"]): each["tax_code_id"] for each in tax_codes}
    nets = [(place, each) for place, each in enumerate(parts) if each.kind == "NET"]
    rates = [None if each.rate is None else Decimal(each.rate) for _, each in nets]
    codes = [
        chosen.get((each.category, rate)) or chosen.get((None, rate)) or chosen.get((None, None))
        for (_, each), rate in zip(nets, rates, strict=True)
    ]
    if None in codes:
        left = ", ".join(str(each.rate) for (_, each), code in zip(nets, codes, strict=True) if code is None)
        sentence = f"Name the tax code of the rate {left} too."
        raise TaxCodeMissingError(sentence, fields={"taxCodes": [sentence]})
    named = lookups.by_id(TaxCode, document.organization_id, codes)
    own = [place for place, code in enumerate(codes) if code in named and not named[code].is_self_assessed]
    stated = document_bookings.stated_taxes_of(document, [nets[place][1] for place in own])
    in_base = stated_taxes.in_base(document, organizations.get(document.organization_id).base_currency)
    sizes = [each.minor for each in stated]
    shares = share(in_base.minor, [abs(size) for size in sizes]) if in_base and any(sizes) else []
    default = tax_point or document_bookings.tax_point_of(document)
    found: dict[int, TaxInput] = {}
    for number, (place, part) in enumerate(nets):
        tax: TaxInput = {"tax_code_id": codes[number], "tax_included": False, "tax_point": default}
        if number in own and stated:
            tax["tax"] = stated[own.index(number)].decimal.copy_sign(part.amount.decimal)
            if shares and in_base:
                each = Money(shares[own.index(number)], in_base.currency)
                tax["tax_base"] = each.decimal.copy_sign(part.amount.decimal)
        elif number in own:
            tax["tax_included"] = True
        found[place] = tax
    return found


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


def _posting(part: BookedPart, amount_base: Decimal | None, tax: TaxInput | None) -> PostingInput:
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
    return written if tax is None else {**written, **tax}
