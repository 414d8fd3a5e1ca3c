"""The offsets of open items settled by hand: the smaller side in full, the larger side in part."""

from __future__ import annotations

from collections.abc import Sequence


def offsets(open_minor: Sequence[int]) -> list[int]:
    """Return the settled amounts of the items, which add up to nothing; the first items are settled first.

    >>> offsets([10000, 2500, -12000])
    [10000, 2000, -12000]
    >>> offsets([10000, -4000, -6000]), offsets([10000, 500])
    ([10000, -4000, -6000], [0, 0])
    """
    owed = sum(each for each in open_minor if each > 0)
    paid = -sum(each for each in open_minor if each < 0)
    left = {True: min(owed, paid), False: min(owed, paid)}
    taken = []
    for each in open_minor:
        is_owed = each > 0
        amount = min(abs(each), left[is_owed])
        left[is_owed] -= amount
        taken.append(amount if is_owed else -amount)
    return taken
