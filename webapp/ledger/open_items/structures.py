"""Sets of open items that people pay together: all of them, a batch, numbers in a row, the oldest."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date
from itertools import combinations
from typing import Final, Protocol, TypeVar

_LAST_NUMBER: Final = re.compile(r"([0-9]{1,18})([^0-9]*)$")


class Payable(Protocol):
    """What a structure is read from."""

    @property
    def number(self) -> str | None:
        """The number of a document."""

    @property
    def batch(self) -> str | None:
        """What came together with it."""

    @property
    def due_on(self) -> date:
        """The day by which it is to be paid."""


Item = TypeVar("Item", bound=Payable)


def together(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Give all items, where there are several."""
    if len(items) > 1:
        yield items


def in_one_batch(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Give the items of each batch of several."""
    batches: dict[str, list[Item]] = defaultdict(list)
    for each in items:
        if each.batch is not None:
            batches[each.batch].append(each)
    yield from (batch for batch in batches.values() if len(batch) > 1)


def consecutive(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Give each stretch of items whose numbers follow each other.

    >>> from types import SimpleNamespace as Item
    >>> [[each.number for each in some] for some in consecutive([Item(number=n) for n in ("A9", "A10", "B11", "A11")])]
    [['A9', 'A10'], ['A9', 'A10', 'A11'], ['A10', 'A11']]
    """
    series: dict[tuple[str, str], dict[int, Item]] = defaultdict(dict)
    for each in items:
        if found := _LAST_NUMBER.search(each.number or ""):
            series[(each.number or "")[: found.start()], found[2]][int(found[1])] = each
    for numbered in series.values():
        ordered = sorted(numbered)
        for first, last in combinations(range(len(ordered)), 2):
            if ordered[last] - ordered[first] == last - first:
                yield [numbered[each] for each in ordered[first : last + 1]]


def oldest(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Give the first two of items that come in the order in which they are due, the first three, and so on."""
    yield from (items[:count] for count in range(2, len(items)))
