"""Sets of open items that people pay together: all of them, a batch, numbers in a row, the oldest."""

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import accumulate
from typing import Final, Protocol, TypeVar

from webapp.ledger.money import Money

_LAST_NUMBER: Final = re.compile(r"([0-9]{1,18})([^0-9]*)$")


class Payable(Protocol):
    """An item from which structures are read."""

    @property
    def amount(self) -> Money:
        """The open amount."""

    @property
    def number(self) -> str | None:
        """The number of a document."""

    @property
    def batch(self) -> str | None:
        """The batch that it came with."""

    @property
    def due_on(self) -> date:
        """The due day."""


Item = TypeVar("Item", bound=Payable)


def together(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield all items, if there are several."""
    if len(items) > 1:
        yield items


def in_one_batch(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield the batches of several items."""
    batches: dict[str, list[Item]] = defaultdict(list)
    for each in items:
        if each.batch is not None:
            batches[each.batch].append(each)
    yield from (batch for batch in batches.values() if len(batch) > 1)


def consecutive(items: Sequence[Item], paid_minor: int) -> Iterator[Sequence[Item]]:
    """Yield runs of items with consecutive numbers that add up to a payment.

    Running sums are matched with each other, so hundreds of consecutive numbers take one pass.

    >>> from types import SimpleNamespace as Item
    >>> items = [Item(number=n, amount=Item(minor=m)) for n, m in (("A9", 1), ("A10", 2), ("B11", 1), ("A11", 3))]
    >>> [[each.number for each in some] for some in consecutive(items, 5)]
    [['A10', 'A11']]
    """
    series: dict[tuple[str, str], dict[int, Item]] = defaultdict(dict)
    for each in items:
        if found := _LAST_NUMBER.search(each.number or ""):
            series[(each.number or "")[: found.start()], found[2]][int(found[1])] = each
    for numbered in series.values():
        for row in _in_a_row(numbered):
            yield from _adding_up(row, paid_minor)


def _in_a_row(numbered: Mapping[int, Item]) -> Iterator[Sequence[Item]]:
    """Yield the longest runs of numbers without a gap."""
    row: list[Item] = []
    for number in sorted(numbered):
        if number - 1 not in numbered and row:
            yield row
            row = []
        row.append(numbered[number])
    yield row


def _adding_up(row: Sequence[Item], paid_minor: int) -> Iterator[Sequence[Item]]:
    """Yield the parts of a run, of two or more items, that add up to a payment, by their first item."""
    sums = list(accumulate((each.amount.minor for each in row), initial=0))
    ends: dict[int, list[int]] = defaultdict(list)
    for end, total in enumerate(sums):
        ends[total].append(end)
    for start, total in enumerate(sums):
        wanted = ends.get(total + paid_minor, [])
        place = bisect_left(wanted, start + 2)
        if place < len(wanted):
            yield row[start : wanted[place]]


def oldest(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Yield the first two of items ordered by due day, the first three, and so on."""
    yield from (items[:count] for count in range(2, len(items)))
