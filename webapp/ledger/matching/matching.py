"""The open lines that add up exactly to a difference."""

from collections.abc import Iterator, Sequence
from typing import Final

MOST_AMOUNTS: Final = 250


def only_combination(amounts: Sequence[int], target: int) -> tuple[int, ...] | None:
    """Return the positions of the only one to three amounts that add up to a sum, or None.

    A hint is useful only if it is unique. Among more than 250 amounts chance would
    produce one, so nothing is searched.

    >>> only_combination([-3200, 128460, -7690, 500], 117570)
    (0, 1, 2)
    >>> only_combination([500, 500], 500) is None
    True
    """
    if target == 0 or len(amounts) > MOST_AMOUNTS:
        return None
    found = None
    for combination in _combinations(amounts, target):
        if found is not None:
            return None
        found = combination
    return found


def _combinations(amounts: Sequence[int], target: int) -> Iterator[tuple[int, ...]]:
    """Yield all combinations of up to three amounts once, in order of position."""
    places: dict[int, list[int]] = {}
    for index, amount in enumerate(amounts):
        places.setdefault(amount, []).append(index)
    for index in places.get(target, ()):
        yield (index,)
    for first, amount in enumerate(amounts):
        yield from ((first, last) for last in places.get(target - amount, ()) if last > first)
    for first, amount in enumerate(amounts):
        for second in range(first + 1, len(amounts)):
            rest = target - amount - amounts[second]
            yield from ((first, second, last) for last in places.get(rest, ()) if last > second)
