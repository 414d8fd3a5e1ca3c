"""Appropriations: what of a year's result goes to each owner, and the entry that puts it there."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import floor


@dataclass(frozen=True, slots=True)
class OwnerPart:
    """What an appropriation knows of an owner: accounts, the share, what comes first, and the year's drawings.

    Amounts are in minor units; `first_minor` is a credit above zero, `drawings_minor` a debit above zero.
    """

    owner_id: int
    capital_id: int
    drawings_id: int | None
    share: Decimal
    first_minor: int = 0
    drawings_minor: int = 0


def shared(total_minor: int, shares: Sequence[Decimal]) -> list[int]:
    """Split an amount by shares: each its whole units, and those left to the largest remainders, ties to the first.

    A loss is split as a profit of its size. Without any share nothing is.

    >>> shared(10000, [Decimal(1)] * 3), shared(-100001, [Decimal(60), Decimal(40)])
    ([3334, 3333, 3333], [-60001, -40000])
    """
    whole = sum(map(Fraction, shares), Fraction())
    if not whole:
        return [0 for _ in shares]
    exact = [abs(total_minor) * Fraction(share) / whole for share in shares]
    parts = [floor(each) for each in exact]
    order = sorted(range(len(parts)), key=lambda place: (parts[place] - exact[place], place))
    for place in order[: abs(total_minor) - sum(parts)]:
        parts[place] += 1
    return [-part for part in parts] if total_minor < 0 else parts


def shares_of(
    result_minor: int, owners: Sequence[OwnerPart], fixed: Mapping[int, int], keep_minor: int
) -> list[int]:
    """Return what each owner gets of a result: what comes first, and a share of what is neither fixed nor kept.

    >>> ada = OwnerPart(1, 11, None, Decimal(1), first_minor=1200)
    >>> shares_of(5000, [ada, OwnerPart(2, 21, None, Decimal(1))], {}, 0)
    [3100, 1900]
    """
    rest = result_minor - keep_minor - sum(fixed.values()) - sum(each.first_minor for each in owners)
    split = shared(rest, [each.share for each in owners])
    return [each.first_minor + part for each, part in zip(owners, split, strict=True)]


def legs_of(
    result_minor: int,
    owners: Sequence[OwnerPart],
    retained_id: int,
    fixed: Mapping[int, int],
    keep_minor: int,
) -> Counter[int]:
    """Return what an appropriation posts to each account, debit positive, by the accounts' ids in their order.

    The year's drawings go into the capital of their owner; what is neither fixed nor shared stays on retained earnings.

    >>> ada = OwnerPart(1, 11, 12, Decimal(100), drawings_minor=2400)
    >>> dict(legs_of(3000, [ada], 9, {}, 0))
    {9: 3000, 11: -600, 12: -2400}
    """
    parts = shares_of(result_minor, owners, fixed, keep_minor)
    legs: Counter[int] = Counter({retained_id: sum(parts) + sum(fixed.values())})
    for owner, part in zip(owners, parts, strict=True):
        legs[owner.capital_id] += owner.drawings_minor - part
        if owner.drawings_id is not None:
            legs[owner.drawings_id] -= owner.drawings_minor
    for account_id, minor in fixed.items():
        legs[account_id] -= minor
    return legs
