"""Effective legs: an entry together with its corrections, and the correction to another state."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from itertools import chain

from webapp.ledger.journal.boxes import negated, summed
from webapp.ledger.journal.entries import MIN_LEGS, Leg, mirrored
from webapp.ledger.money import bounded


def effective(*entries: Iterable[Leg]) -> tuple[Leg, ...]:
    """Add up an entry and its corrections per account, currency, project, merchant and tax.

    Sums of nothing in amount, mirror and boxes are dropped; the rest keeps the order of first appearance,
    and stays the bank leg, or keeps its line, if any of its parts was or did.
    Raises ExchangeRateMissingError for a leg without a mirror.

    >>> posted = [Leg(1, -100, "EUR", -100, is_bank_leg=True), Leg(2, 100, "EUR", 100)]
    >>> moved = [Leg(2, -100, "EUR", -100), Leg(2, 100, "EUR", 100, project_id=7)]
    >>> [(leg.account_id, leg.amount_minor, leg.project_id) for leg in effective(posted, moved)]
    [(1, -100, None), (2, 100, 7)]
    """
    merged: dict[Hashable, Leg] = {}
    for leg in chain(*entries):
        key = _key(leg)
        merged[key] = (
            _sum(merged[key], leg) if key in merged else replace(leg, amount_base_minor=mirrored(leg))
        )
    return tuple(leg for leg in merged.values() if leg.amount_minor or leg.amount_base_minor or leg.boxes)


def difference(target: Sequence[Leg], current: Sequence[Leg]) -> tuple[Leg, ...]:
    """Return the legs of the exact correction from the current effective legs to the target.

    No difference gives no legs; otherwise the legs can be posted: at least two, and in
    balance if they have one currency. Both states must balance in the base currency.

    >>> current = [Leg(1, -100, "EUR", -100, is_bank_leg=True), Leg(2, 100, "EUR", 100)]
    >>> target = [Leg(1, -100, "EUR", -100, is_bank_leg=True), Leg(2, 60, "EUR", 60), Leg(3, 40, "EUR", 40)]
    >>> [(leg.account_id, leg.amount_minor) for leg in difference(target, current)]
    [(2, -40), (3, 40)]
    >>> difference(current, current)
    ()
    """
    legs = effective(_negated(current), target)
    return (
        legs if not legs or _could_be_posted(legs) else (*legs, _zero_leg(legs[0].currency, target, current))
    )


def is_same(target: Sequence[Leg], current: Sequence[Leg]) -> bool:
    """Return whether two states have the same effect, so that no correction is needed."""
    return not difference(target, current)


def reversal(*entries: Sequence[Leg]) -> tuple[Leg, ...]:
    """Return the legs that cancel an entry and all its corrections together.

    A line of 0.00 has no effect to reverse; its postings are negated one by one, so that it is voided too.
    The same holds if the effect alone could be no entry.

    >>> [leg.amount_minor for leg in reversal([Leg(1, -5, "EUR", -5), Leg(2, 5, "EUR", 5)])]
    [5, -5]
    >>> [leg.account_id for leg in reversal([Leg(1, 0, "EUR", 0), Leg(2, 0, "EUR", 0)])]
    [1, 2]
    """
    legs = effective(*entries)
    return _negated(legs if _could_be_posted(legs) else tuple(chain(*entries)))


def _could_be_posted(legs: Sequence[Leg]) -> bool:
    several_currencies = len({leg.currency for leg in legs}) > 1
    return len(legs) >= MIN_LEGS and (several_currencies or sum(leg.amount_minor for leg in legs) == 0)


def _zero_leg(currency: str, *states: Sequence[Leg]) -> Leg:
    """Return a leg of nothing in another currency, for an amount that is nothing in the base currency.

    An entry in several currencies may change by a few units of one currency that its rate rounds away. Alone
    they would be an unbalanced entry in one currency. If the other currency's legs were of nothing
    and are gone from both states, any other currency will do.
    """
    substitute = replace(states[0][0], currency="EUR" if currency != "EUR" else "USD")
    other = next((leg for leg in chain(*states) if leg.currency != currency), substitute)
    return replace(
        other,
        amount_minor=0,
        amount_base_minor=0,
        is_bank_leg=False,
        transaction_id=None,
        tax_code_id=None,
        tax_point=None,
        boxes=(),
    )


def _key(leg: Leg) -> Hashable:
    return leg.account_id, leg.currency, leg.project_id, leg.merchant_id, leg.tax_code_id, leg.tax_point


def _sum(one: Leg, other: Leg) -> Leg:
    return replace(
        one,
        amount_minor=bounded(one.amount_minor + other.amount_minor),
        amount_base_minor=bounded(mirrored(one) + mirrored(other)),
        is_bank_leg=one.is_bank_leg or other.is_bank_leg,
        transaction_id=one.transaction_id if one.transaction_id is not None else other.transaction_id,
        boxes=summed((*one.boxes, *other.boxes)),
    )


def _negated(legs: Iterable[Leg]) -> tuple[Leg, ...]:
    return tuple(
        replace(
            leg,
            amount_minor=-leg.amount_minor,
            amount_base_minor=-mirrored(leg),
            boxes=negated(leg.boxes),
        )
        for leg in legs
    )
