"""The merchants of legs after merges: which count, and which stay when a leg is rewritten."""

from collections.abc import Sequence
from dataclasses import replace

from webapp.ledger.dimensions import MergedMerchants, count_alike, counting
from webapp.ledger.journal.entries import Leg


def with_counting_merchants(legs: Sequence[Leg], merged: MergedMerchants) -> list[Leg]:
    """Return legs with the merchants that count.

    >>> legs = [Leg(1, 5, "EUR", merchant_id=3), Leg(2, -5, "EUR")]
    >>> [leg.merchant_id for leg in with_counting_merchants(legs, {3: 7})]
    [7, None]
    """
    return [
        replace(leg, merchant_id=counting(leg.merchant_id, merged)) if leg.merchant_id in merged else leg
        for leg in legs
    ]


def kept(legs: Sequence[Leg], present: Sequence[Leg], merged: MergedMerchants) -> list[Leg]:
    """Return new legs, each with the merchant of a present leg that counts as the same.

    A person who names the shown merchant changes nothing: the posting keeps its merchant, so that
    separating the merchants restores everything. Among several, the leg on the same account counts.

    >>> present = [Leg(1, 5, "EUR", merchant_id=3), Leg(2, 5, "EUR", merchant_id=4)]
    >>> [leg.merchant_id for leg in kept([Leg(2, 5, "EUR", merchant_id=7), Leg(9, 5, "EUR", merchant_id=7)],
    ...     present, {3: 7, 4: 7})]
    [4, 3]
    """
    if not merged:
        return list(legs)
    return [replace(leg, merchant_id=_kept(leg, present, merged)) for leg in legs]


def _kept(leg: Leg, present: Sequence[Leg], merged: MergedMerchants) -> int | None:
    alike = [each for each in present if count_alike(each.merchant_id, leg.merchant_id, merged)]
    on_same = [each for each in alike if each.account_id == leg.account_id]
    return next((each.merchant_id for each in (*on_same, *alike)), leg.merchant_id)
