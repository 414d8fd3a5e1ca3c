"""Reordering rules: the priorities that let one of them run in another place."""

from collections.abc import Sequence
from typing import Final, NamedTuple

STEP: Final = 10
LARGEST: Final = 2**31 - 1


class Place(NamedTuple):
    """A rule's place among others: lower priority first, then id."""

    priority: int
    id: int


def moved(places: Sequence[Place], rule_id: int, before_id: int | None) -> dict[int, int]:
    """Give the new priorities, by rule, that let a rule run directly before another one, or last of all.

    `places` are in the order in which the rules run. Where there is room between the neighbours only the
    moved rule changes, else all are numbered anew.

    >>> places = [Place(10, 1), Place(20, 2), Place(40, 3)]
    >>> moved(places, 1, 3), moved(places, 3, None)
    ({1: 30}, {})
    >>> moved([Place(100, 1), Place(100, 2), Place(100, 3)], 3, 2)
    {1: 10, 3: 20, 2: 30}
    """
    rest = [place for place in places if place.id != rule_id]
    at = next((index for index, place in enumerate(rest) if place.id == before_id), len(rest))
    new_order = [place.id for place in rest]
    new_order.insert(at, rule_id)
    if new_order == [place.id for place in places]:
        return {}
    low = rest[at - 1].priority if at else None
    high = rest[at].priority if at < len(rest) else None
    between = _between(low, high)
    if between is not None:
        return {rule_id: between}
    old = {place.id: place.priority for place in places}
    new = {each: STEP * number for number, each in enumerate(new_order, 1)}
    return {each: priority for each, priority in new.items() if old[each] != priority}


def _between(low: int | None, high: int | None) -> int | None:
    """Find a priority between two others, None where no whole number is; outside of them at a step's distance.

    >>> _between(None, 10), _between(100, None), _between(10, 20), _between(10, 11)
    (5, 110, 15, None)
    """
    if low is None:
        return None if high is None or high < 1 else high // 2
    if high is None:
        return low + STEP if low + STEP <= LARGEST else None
    return (low + high) // 2 if high - low > 1 else None
