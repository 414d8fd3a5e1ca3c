"""Records of what a rule does to one line or document: its fields before and after, and which of them stay, and why."""

from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from webapp.ledger.dimensions import MergedMerchants, counting
from webapp.ledger.money import Money
from webapp.ledger.rules.line_outcomes import CounterLeg
from webapp.queries.rules.document_effects import DocumentEffect
from webapp.queries.rules.line_effects import LineEffect

Effect = LineEffect | DocumentEffect


@dataclass(frozen=True, slots=True)
class CounterLegRecord:
    """The counter leg of a line, its tax code and the item that it pays; the amount is its part of the line, signed.

    Of a document: the fields that a rule may set, and its total.
    """

    account_id: int | None
    org_merchant_id: int | None
    project_id: int | None
    amount: Money | None
    currency: str | None
    item_id: int | None = None
    tax_code_id: int | None = None


@dataclass(frozen=True, slots=True)
class OverruledField:
    """A field that a later rule sets."""

    kind: str
    rule_id: int


@dataclass(frozen=True, slots=True)
class SkippedField:
    """A field that is not set, and why."""

    kind: str
    reason: str


@dataclass(frozen=True, slots=True)
class EffectRecord:
    """One line or document that a rule matches, before and after.

    `before` is None where a line has more than one leg opposite.
    """

    transaction_id: int | None
    document_id: int | None
    fa_id: int | None
    booked_on: date | None
    amount: Money | None
    currency: str | None
    description: str
    is_changed: bool
    opens_marker: bool
    before: CounterLegRecord | None
    after: CounterLegRecord | None
    also_fires: list[int]
    cut_off_by: int | None
    overruled: list[OverruledField]
    skipped: list[SkippedField]


def of_effect(effect: Effect, rule_id: int, merged: MergedMerchants) -> EffectRecord:
    """Return the record of a rule's effect, with the merchants that count."""
    facts = _of_document(effect) if isinstance(effect, DocumentEffect) else _of_line(effect)
    for side in ("before", "after"):
        if facts[side] is not None:
            org_merchant_id = counting(facts[side].org_merchant_id, merged)
            facts[side] = replace(facts[side], org_merchant_id=org_merchant_id)
    return EffectRecord(
        **facts,
        is_changed=bool(effect.applied),
        opens_marker=effect.opens_marker,
        also_fires=[each for each in effect.decision.matched if each != rule_id],
        cut_off_by=effect.cut_off_by,
        overruled=[OverruledField(kind.value, by) for kind, by in effect.overruled.items()],
        skipped=[SkippedField(skip.kind.value, skip.reason) for skip in effect.skipped],
    )


def _of_line(effect: LineEffect) -> dict[str, Any]:
    line, leg = effect.line, effect.state.leg
    return {
        "transaction_id": line.id,
        "document_id": None,
        "fa_id": line.feed_account_id,
        "booked_on": line.booked_on,
        "amount": Money(line.amount_minor, line.currency),
        "currency": line.currency,
        "description": line.description,
        "before": _leg_record(leg),
        "after": _leg_record(effect.after if effect.after is not None else leg),
    }


def _of_document(effect: DocumentEffect) -> dict[str, Any]:
    document, before = effect.document, effect.before
    after = before if effect.after is None else effect.after
    legs = [
        CounterLegRecord(
            each.account_id,
            each.merchant_id,
            each.project_id,
            None if document.total is None else Money.of(document.total.decimal, each.currency or ""),
            each.currency,
        )
        for each in (before, after)
    ]
    return {
        "transaction_id": None,
        "document_id": document.id,
        "fa_id": None,
        "booked_on": document.issued_on,
        "amount": document.total,
        "currency": document.currency,
        "description": document.label,
        "before": legs[0],
        "after": legs[1],
    }


def _leg_record(leg: CounterLeg | None) -> CounterLegRecord | None:
    if leg is None:
        return None
    amount = Money(-leg.amount_minor, leg.currency)
    its = leg.account_id, leg.merchant_id, leg.project_id, amount, leg.currency
    return CounterLegRecord(*its, leg.item_id, leg.tax_code_id)
