"""Bank lines that fit as the two sides of a transfer: by amount, by rate, or less a fee."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from typing import Final

from webapp.ledger.journal.transfer_sides import MOST_DAYS, TransferSide

MOST_PERCENT: Final = 3
MOST_FEE_PERCENT: Final = 5
# Of many equal lines only the nearest matter: two that fit are already too many to choose from.
NEAREST: Final = 4
# The days around one, the nearest first.
_DISTANCES: Final = sorted(range(-MOST_DAYS, MOST_DAYS + 1), key=abs)

MayPair = Callable[[TransferSide, TransferSide], bool]


@dataclass(slots=True)
class _Shelf:
    """The lines of one amount, direction and account, by day."""

    days: list[date] = field(default_factory=list)
    sides: list[TransferSide] = field(default_factory=list)

    def near(self, day: date) -> Iterable[TransferSide]:
        first = bisect_left(self.days, day - timedelta(days=MOST_DAYS))
        last = bisect_right(self.days, day + timedelta(days=MOST_DAYS))
        if last - first > 2 * NEAREST:
            middle = bisect_left(self.days, day)
            first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
        return self.sides[first:last]


def equal(ordered: Sequence[TransferSide]) -> Iterator[tuple[TransferSide, TransferSide]]:
    """Pair lines with near lines of the opposite amount in another account, from both sides, money out first.

    `ordered` are by day.
    """
    shelves: dict[tuple[str, int], dict[int, _Shelf]] = defaultdict(dict)
    for side in ordered:
        shelf = shelves[side.currency, side.amount_minor].setdefault(side.fa_id, _Shelf())
        shelf.days.append(side.day)
        shelf.sides.append(side)
    for side in ordered:
        opposite = shelves.get((side.currency, -side.amount_minor))
        if opposite is not None:
            for fa_id, shelf in opposite.items():
                if fa_id != side.fa_id:
                    yield from (out_first(side, other) for other in shelf.near(side.day))


class _Sizes:
    """Lines by direction and group, then by day and size; they arrive by day and id."""

    def __init__(
        self,
        ordered: Iterable[TransferSide],
        *,
        size_of: Callable[[TransferSide], int],
        group_of: Callable[[TransferSide], object],
    ) -> None:
        self._shelves: dict[tuple[bool, object], dict[int, tuple[list[int], list[TransferSide]]]] = {}
        for side in ordered:
            shelves = self._shelves.setdefault((side.amount_minor > 0, group_of(side)), {})
            day = side.day.toordinal()
            if day not in shelves:
                shelves[day] = [], []
            shelves[day][1].append(side)
        for shelves in self._shelves.values():
            for sizes, sides in shelves.values():
                sides.sort(key=size_of)
                sizes.extend(map(size_of, sides))

    def near(
        self, side: TransferSide, group: object, bounds: tuple[int, int], best: int
    ) -> Iterator[TransferSide]:
        """Yield lines of the other direction within bounds of size, nearest days first; of many, the best sizes."""
        shelves = self._shelves.get((side.amount_minor < 0, group))
        if shelves is None:
            return
        least, most = bounds
        day = side.day.toordinal()
        for distance in _DISTANCES:
            shelf = shelves.get(day + distance)
            if shelf is not None:
                sizes, sides = shelf
                first, last = bisect_left(sizes, least), bisect_right(sizes, most)
                if last - first > 2 * NEAREST:
                    middle = bisect_left(sizes, best)
                    first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
                if first < last:
                    yield from sides[first:last]


class Rated:
    """The lines with an amount in the base currency, for books in several currencies.

    Across currencies two lines fit within 3 % at their days' rates, if one names the other's account, or if neither
    fits another: among many lines some always do. `named` are the other accounts that lines name, by line id.
    """

    def __init__(
        self, ordered: Iterable[TransferSide], named: Mapping[int, Sequence[int]], may_pair: MayPair
    ) -> None:
        sides = [side for side in ordered if side.base_minor]
        self._currencies = sorted({side.currency for side in sides})
        if len(self._currencies) < 2:  # noqa: PLR2004  (an exchange is between two)
            sides = []
        self._sides, self._named, self._may_pair = sides, named, may_pair
        self._sizes = _by_base(sides)
        self._naming = _by_base([side for side in sides if side.id in named])
        self._only: dict[tuple[int, str], TransferSide | None] = {}

    def pairs(self) -> Iterator[tuple[TransferSide, TransferSide]]:
        """Pair lines that name each other's account, else lines that fit only each other.

        From both sides, money out first.
        """
        for side in self._sides:
            for currency in self._currencies:
                if currency != side.currency:
                    yield from (out_first(side, other) for other in self._naming_or_only(side, currency))

    def _naming_or_only(self, side: TransferSide, currency: str) -> Iterable[TransferSide]:
        sizes = self._sizes if side.id in self._named else self._naming
        named = [other for other in self._fitting(sizes, side, currency) if self._is_named(side, other)]
        if named:
            return named
        only = self._only_one(side, currency)
        return () if only is None or self._only_one(only, side.currency) is not side else (only,)

    def _only_one(self, side: TransferSide, currency: str) -> TransferSide | None:
        place = side.id, currency
        if place not in self._only:
            two = list(islice(self._fitting(self._sizes, side, currency), 2))
            self._only[place] = two[0] if len(two) == 1 else None
        return self._only[place]

    def _fitting(self, sizes: _Sizes, side: TransferSide, currency: str) -> Iterator[TransferSide]:
        size, may_pair = abs(side.base_minor or 0), self._may_pair
        bounds = -(-size * (100 - MOST_PERCENT) // 100), size * 100 // (100 - MOST_PERCENT)
        near = sizes.near(side, currency, bounds, size)
        if side.amount_minor < 0:
            return (other for other in near if may_pair(side, other))
        return (other for other in near if may_pair(other, side))

    def _is_named(self, one: TransferSide, other: TransferSide) -> bool:
        return other.fa_id in self._named.get(one.id, ()) or one.fa_id in self._named.get(other.id, ())


def _by_base(sides: Iterable[TransferSide]) -> _Sizes:
    return _Sizes(sides, size_of=lambda side: abs(side.base_minor or 0), group_of=lambda side: side.currency)


def less_a_fee(
    ordered: Sequence[TransferSide], named: Mapping[int, Sequence[int]]
) -> Iterator[tuple[TransferSide, TransferSide]]:
    """Pair lines of one currency if up to 5 % less arrives than was sent and one names the other's account.

    `ordered` are by day and id, `named` the other accounts that lines name, by line id.
    """
    naming = [side for side in ordered if side.id in named]
    targets = {fa_id for side in naming for fa_id in named[side.id]}
    sizes = _Sizes(
        [side for side in ordered if side.fa_id in targets],
        size_of=lambda side: abs(side.amount_minor),
        group_of=lambda side: (side.fa_id, side.currency),
    )
    for side in naming:
        for fa_id in named[side.id]:
            size = abs(side.amount_minor)
            least, most = fee_bounds(size)
            bounds = (least, size - 1) if side.amount_minor < 0 else (size + 1, most)
            near = sizes.near(side, (fa_id, side.currency), bounds, size)
            yield from (out_first(side, other) for other in islice(near, 2 * NEAREST))


def fee_bounds(size_minor: int) -> tuple[int, int]:
    """Return the least that may arrive of an amount, and the most that may have been sent for it.

    >>> fee_bounds(10000)
    (9500, 10526)
    """
    return -(-size_minor * (100 - MOST_FEE_PERCENT) // 100), size_minor * 100 // (100 - MOST_FEE_PERCENT)


def out_first(one: TransferSide, other: TransferSide) -> tuple[TransferSide, TransferSide]:
    """Return two sides, money out first."""
    return (one, other) if one.amount_minor < 0 else (other, one)
