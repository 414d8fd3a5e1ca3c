"""The sets of open items that add up to a payment: whether one exists, and whether it is unique.

A set with a part that adds up to nothing is left out, since it says no more than the set without that part. The
remaining sets never contain each other. So a set is unique exactly if all sets that add up have each
of its items. The sums of two halves show the common items, without listing the sets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Final, NamedTuple

MOST_ITEMS: Final = 24


class SetVerdict(StrEnum):
    """The number of sets of items that add up to a payment."""

    UNIQUE = "unique"
    SEVERAL = "several"
    NONE = "none"
    TOO_MANY = "too_many"


@dataclass(frozen=True, slots=True)
class PaymentSets:
    """The verdict, and up to three sets of places: the fewest items first, then the earliest items."""

    verdict: SetVerdict
    sets: tuple[tuple[int, ...], ...] = ()


def payment_sets(amounts: Sequence[int], payment: int) -> PaymentSets:
    """Find the sets of amounts that add up to a payment above zero; among more than 24 amounts none is searched.

    >>> payment_sets([100, 250, 400], 350)
    PaymentSets(verdict=<SetVerdict.UNIQUE: 'unique'>, sets=((0, 1),))
    >>> payment_sets([100, 100, 300], 400).sets
    ((0, 2), (1, 2))
    >>> payment_sets([500, 70, -70], 500)
    PaymentSets(verdict=<SetVerdict.UNIQUE: 'unique'>, sets=((0,),))
    >>> str(payment_sets([500, 70], 600).verdict), str(payment_sets([1] * 25, 1).verdict)
    ('none', 'too_many')
    """
    if len(amounts) > MOST_ITEMS:
        return PaymentSets(SetVerdict.TOO_MANY)
    sums = _Sums(amounts, payment)
    first = sums.without()
    if first is None:
        return PaymentSets(SetVerdict.NONE)
    if first.smallest == first.common:
        return PaymentSets(SetVerdict.UNIQUE, (tuple(_places(first.smallest)),))
    found = [first.smallest, *_others(sums, first)]
    ordered = sorted(found, key=lambda mask: (mask.bit_count(), list(_places(mask))))
    return PaymentSets(SetVerdict.SEVERAL, tuple(tuple(_places(each)) for each in ordered))


def has_nil_part(amounts: Sequence[int]) -> bool:
    """Return whether some of these amounts add up to nothing; of more than 24 amounts only pairs are looked at.

    >>> has_nil_part([-210, 210, 34]), has_nil_part([30, -10, -20, 5]), has_nil_part([34, 210]), has_nil_part([7, -5])
    (True, True, False, False)
    """
    if min(amounts, default=0) >= 0 or max(amounts) <= 0:
        return 0 in amounts
    if len(amounts) > MOST_ITEMS:
        found = set(amounts)
        return any(-each in found for each in found)
    middle = len(amounts) // 2
    first, second = (_sums_of_some(half) for half in (amounts[:middle], amounts[middle:]))
    return 0 in first or 0 in second or any(-each in second for each in first)


def _sums_of_some(amounts: Sequence[int]) -> set[int]:
    """Add up each set of amounts but the empty one."""
    sums: set[int] = set()
    for amount in amounts:
        sums |= {each + amount for each in sums} | {amount}
    return sums


class _Solutions(NamedTuple):
    """The smallest of all sets that add up, and their common items, both as bits."""

    smallest: int
    common: int


class _Sums:
    """Amounts in two halves, matched by their sums."""

    def __init__(self, amounts: Sequence[int], payment: int) -> None:
        middle = len(amounts) // 2
        self.amounts, self.payment = amounts, payment
        self.halves = range(middle), range(middle, len(amounts))

    def without(self, *places: int) -> _Solutions | None:
        """Return the sets that add up without some places, or None."""
        kept = [[each for each in half if each not in places] for half in self.halves]
        sums, others = (self._sums(each) for each in kept)
        rests = {self.payment - each: mask for each, mask in _smallest(*sums).items()}
        ends = _smallest(*others)
        shared = rests.keys() & ends.keys()
        if not shared:
            return None
        common = _common(*sums, {self.payment - each for each in shared}) | _common(*others, shared)
        return _Solutions(min((rests[each] | ends[each] for each in shared), key=_size), common)

    def _sums(self, places: Sequence[int]) -> tuple[list[int], list[int]]:
        """Add up each set of places, with its bits."""
        sums, masks = [0], [0]
        for place in places:
            amount, bit = self.amounts[place], 1 << place
            sums += [each + amount for each in sums]
            masks += [each | bit for each in masks]
        return sums, masks


def _others(sums: _Sums, first: _Solutions) -> Iterator[int]:
    """Yield one or two more sets; each lacks an item of every earlier set, or it would contain that set."""
    second = None
    for lacking in sorted(_places(first.smallest & ~first.common), reverse=True):
        found = sums.without(lacking)
        if found is None:
            continue
        if second is None:
            yield (second := found.smallest)
        if found.smallest != second:
            yield found.smallest
            return
        if found.common != second:
            more = max(_places(second & ~found.common))
            third = sums.without(lacking, more)
            if third is not None:
                yield third.smallest
                return


def _smallest(sums: Sequence[int], masks: Sequence[int]) -> Mapping[int, int]:
    """Map each sum to its smallest set: the fewest places, then the earliest."""
    return {sums[each]: masks[each] for each in _by_size(len(sums))}


def _common(sums: Sequence[int], masks: Sequence[int], wanted: set[int]) -> int:
    """Return the common places of all sets of some sums."""
    common = -1
    for each, mask in zip(sums, masks, strict=True):
        if each in wanted:
            common &= mask
    return common


def _size(mask: int) -> tuple[int, int]:
    return mask.bit_count(), mask


@cache
def _by_size(count: int) -> tuple[int, ...]:
    """Order the subsets of a half, as the bits of a number, from the largest to the smallest."""
    return tuple(sorted(range(count), key=lambda each: (-each.bit_count(), -each)))


def _places(mask: int) -> Iterator[int]:
    return (place for place in range(mask.bit_length()) if mask >> place & 1)
