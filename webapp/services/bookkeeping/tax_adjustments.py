"""Adjustments: boxes of a form, and tax accounts with them, written by hand with a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime
from decimal import Decimal
from typing import TypedDict

from webapp.ledger.errors import UnprocessableError
from webapp.ledger.journal.boxes import BoxAmount, Boxes
from webapp.ledger.journal.entries import MIN_LEGS, Leg
from webapp.ledger.money import Money, money_at
from webapp.ledger.tax.forms import TaxForm
from webapp.models import Document, JournalEntry, Organization
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.tax import packs
from webapp.queries.tax.periods import periods_of
from webapp.queries.tax.returns import NoBoxError
from webapp.services.audit import field_changes
from webapp.services.audit.act import Actor
from webapp.services.audit.action_requests import act
from webapp.services.bookkeeping.posting_inputs import PostingInput, PostingInputs, legs_of
from webapp.services.journal import entries as journal_entries
from webapp.services.journal import line_drafts
from webapp.services.tax.coding import NoTaxHereError, check_start


class AdjustedBox(TypedDict):
    """What is added to a box."""

    box: str
    amount: Decimal


class AdjustmentLegsError(UnprocessableError):
    """Boxes of tax are the tax on its accounts: write legs that move these by as much."""

    code = "adjustment_legs"


class ReasonlessError(UnprocessableError):
    """Name the document that says what the tax is, or say it in a note."""

    code = "note_missing"


def legs_against(
    organization_id: str, form: str, boxes: Sequence[AdjustedBox], counter_account_id: int | None
) -> list[PostingInput]:
    """Write the legs of boxes of tax: on the accounts of taxes, against one account.

    Raises AdjustmentLegsError where they need an account and none is named.
    """
    of_form, roles = packs.content(form).form, packs.accounts(organization_id)
    sums: dict[str, Decimal] = {}
    for each in boxes:
        sign = of_form.tax_of({each["box"]: 1})
        if sign:
            role = "output" if sign > 0 else "input"
            sums[role] = sums.get(role, Decimal(0)) - sign * each["amount"]
    if not any(sums.values()):
        return []
    if counter_account_id is None:
        sentence = "Choose an account."
        raise AdjustmentLegsError(sentence, fields={"counterAccountId": [sentence]})
    moved = {packs.account(roles, role).id: amount for role, amount in sums.items()}
    moved[counter_account_id] = -sum(sums.values(), Decimal(0))
    return [{"account_id": each, "amount": amount} for each, amount in moved.items() if amount]


def adjust(
    *,
    form: str,
    tax_point: date,
    reason: str,
    boxes: Sequence[AdjustedBox],
    legs: PostingInputs = (),
    document_id: int | None = None,
    note: str = "",
    actor: Actor,
    now: datetime,
) -> JournalEntry:
    """Add to boxes of a form by hand, with the legs of what that is on the accounts of taxes.

    Raises NoBoxError, AdjustmentLegsError, ReasonlessError, or BeforeStartError unless it is meant to be late.
    """
    payload = {
        "form": form,
        "taxPoint": tax_point.isoformat(),
        "reason": reason,
        "note": note,
        **field_changes.jsonable({"boxes": boxes, "legs": legs, "document_id": document_id}),
    }
    title = f"Adjusted the {form} boxes of {tax_point:%-d %b %Y}"
    target = ("journal_entry", "new")
    with act(actor, now, "adjust_taxes", target, title=title, note=note, payload=payload) as doing:
        organization, of_form = organizations.get(actor.organization_id), packs.content(form).form
        check_start(periods_of(organization.id, form).pack, tax_point, "taxPoint")
        sums = _sums(organization, of_form, boxes)
        _check_evidence(organization.id, document_id, note, has_tax=bool(of_form.tax_of(sums)))
        day = organizations.first_open_day(organization.id, tax_point)
        written = _with_boxes(organization, of_form, sums, _legs(organization, legs, day))
        entry = journal_entries.add_draft(
            organization,
            day,
            [replace(leg, tax_point=tax_point if leg.boxes else None) for leg in written],
            source="manual",
            description=note.strip() or reason.replace("_", " ").capitalize(),
            now=now,
            document_id=document_id,
        )
        entry.tax_reason, doing.target_id = reason, str(entry.id)
        journal_entries.post(entry, doing)
        doing.after = field_changes.of_legs(written, entry.description, base=entry.base_currency)
    return entry


def _check_evidence(organization_id: str, document_id: int | None, note: str, *, has_tax: bool) -> None:
    if document_id is not None:
        lookups.refer(Document, organization_id, document_id, "documentId")
    elif has_tax and not note.strip():
        raise ReasonlessError(fields={"note": [str(ReasonlessError.__doc__)]})


def _sums(organization: Organization, of_form: TaxForm, boxes: Sequence[AdjustedBox]) -> Mapping[str, int]:
    """Read what is added to each box; a total is added up of others."""
    known = [each.box for each in of_form.boxes if each.terms is None]
    sums: dict[str, int] = {}
    for place, each in enumerate(boxes):
        path = f"boxes.{place}"
        if each["box"] not in known or each["box"] in sums:
            sentence = f"Name each once of the boxes {', '.join(known)}."
            raise NoBoxError(sentence, fields={f"{path}.box": [sentence]})
        sums[each["box"]] = money_at(each["amount"], organization.base_currency, f"{path}.amount").minor
    return sums


def _legs(organization: Organization, inputs: PostingInputs, day: date) -> Sequence[Leg]:
    if any(each.get("tax_code_id") is not None for each in inputs):
        raise NoTaxHereError(fields={"legs": [str(NoTaxHereError.__doc__)]})
    legs = legs_of(organization, inputs, day, name="legs")
    return line_drafts.mirror_legs(organization, legs, day, document_id=None, is_written=True) if legs else ()


def _with_boxes(
    organization: Organization, of_form: TaxForm, sums: Mapping[str, int], legs: Sequence[Leg]
) -> list[Leg]:
    """Let the first leg of a tax account carry the boxes of tax, and the first other one all other boxes."""
    roles, base = packs.accounts(organization.id), organization.base_currency
    of_taxes = {each.id for each in roles.values() if each.role in packs.TAX_ACCOUNTS}
    tax, moved = (
        of_form.tax_of(sums),
        sum(leg.amount_base_minor or 0 for leg in legs if leg.account_id in of_taxes),
    )
    if moved != -tax:
        wanted, there = Money(-tax, base).formatted, Money(moved, base).formatted
        sentence = f"These boxes move the accounts of taxes by {wanted}, and the legs by {there}."
        raise AdjustmentLegsError(sentence, fields={"legs": [sentence]})
    nothing = Leg(packs.account(roles, "output").id, 0, base, 0)
    found = [*legs, *([nothing] * (MIN_LEGS - len(legs)))]
    own: list[Boxes] = [
        tuple(
            BoxAmount(of_form.name, box, minor)
            for box, minor in sums.items()
            if minor and bool(of_form.tax_of({box: 1})) == is_tax
        )
        for is_tax in (False, True)
    ]
    for is_tax, boxes in enumerate(own):
        fit = [place for place, leg in enumerate(found) if (leg.account_id in of_taxes) == bool(is_tax)]
        place = fit[0] if fit else 0
        found[place] = replace(found[place], boxes=(*found[place].boxes, *boxes))
    return found
