"""Which bank lines fit each other as the two sides of a transfer: by amount, by rate, or less a fee."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import islice
from typing import Final

from webapp.ledger.journal.transfer_sides import MOST_DAYS, OwnAccount, TransferSide, named_accounts

MOST_PERCENT: Final = 3
MOST_FEE_PERCENT: Final = 5
# Of many equal lines only the nearest matter: two that fit are already too many to choose from.
NEAREST: Final = 4


@dataclass(slots=True)
class _Shelf:
    """The lines of one amount, direction and account, by day."""

    days: list[date] = field(default_factory=list)
    sides: list[TransferSide] = field(default_factory=list)

    def near(self, day: date) -> Iterator[TransferSide]:
        first = bisect_left(self.days, day - timedelta(days=MOST_DAYS))
        last = bisect_right(self.days, day + timedelta(days=MOST_DAYS))
        if last - first > 2 * NEAREST:
            middle = bisect_left(self.days, day)
            first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
        yield from self.sides[first:last]


def equal_or_rated(
    ordered: Sequence[TransferSide],
    own: Mapping[int, OwnAccount],
    may_pair: Callable[[TransferSide, TransferSide], bool],
) -> Iterator[tuple[TransferSide, TransferSide]]:
    """Pair lines with those near them, looked up by amount and day: from either side, money out first.

    `ordered` are by day. In one currency the amounts are opposite. Across currencies they are within 3 % at the days'
    rates, and one line names the other's account, or neither fits another one: among many lines some always do.
    """
    shelves: dict[tuple[str, int], dict[int, _Shelf]] = defaultdict(dict)
    for side in ordered:
        shelf = shelves[side.currency, side.amount_minor].setdefault(side.fa_id, _Shelf())
        shelf.days.append(side.day)
        shelf.sides.append(side)
    rated = _Rated(ordered, own, may_pair)
    for side in ordered:
        for fa_id, shelf in shelves.get((side.currency, -side.amount_minor), {}).items():
            if fa_id != side.fa_id:
                yield from (_out_first(side, other) for other in shelf.near(side.day))
        yield from (_out_first(side, other) for other in rated.near(side))


class _Sizes:
    """Lines by direction, day and a group of them, then by size."""

    def __init__(
        self,
        sides: Iterable[TransferSide],
        *,
        size_of: Callable[[TransferSide], int],
        group_of: Callable[[TransferSide], object],
    ) -> None:
        self._shelves: dict[tuple[bool, date, object], list[tuple[int, int, TransferSide]]] = defaultdict(
            list
        )
        for side in sides:
            self._shelves[side.amount_minor > 0, side.day, group_of(side)].append(
                (size_of(side), side.id, side)
            )
        for shelf in self._shelves.values():
            shelf.sort(key=lambda place: place[:2])

    def near(
        self, side: TransferSide, group: object, bounds: tuple[int, int], best: int
    ) -> Iterator[TransferSide]:
        """Give lines of the other direction with a size within bounds, nearest days first; of many, the best sizes."""
        least, most = bounds
        for distance in sorted(range(-MOST_DAYS, MOST_DAYS + 1), key=abs):
            shelf = self._shelves.get((side.amount_minor < 0, side.day + timedelta(days=distance), group), ())
            first, last = bisect_left(shelf, (least,)), bisect_left(shelf, (most + 1,))
            if last - first > 2 * NEAREST:
                middle = bisect_left(shelf, (best,))
                first, last = max(first, middle - NEAREST), min(last, middle + NEAREST)
            yield from (other for _, _, other in shelf[first:last])


class _Rated:
    """The lines with an amount in the base currency, where there are several currencies."""

    def __init__(
        self,
        ordered: Iterable[TransferSide],
        own: Mapping[int, OwnAccount],
        may_pair: Callable[[TransferSide, TransferSide], bool],
    ) -> None:
        sides = [side for side in ordered if side.base_minor]
        self._currencies = sorted({side.currency for side in sides})
        if len(self._currencies) < 2:  # noqa: PLR2004  (an exchange is between two)
            sides = []
        self._may_pair = may_pair
        self._named: dict[int, set[int]] = defaultdict(set)
        for side, fa_id in named_accounts(sides, own):
            self._named[side.id].add(fa_id)
        self._sizes = _by_base(sides)
        self._naming = _by_base([side for side in sides if side.id in self._named])

    def near(self, side: TransferSide) -> Iterator[TransferSide]:
        """Give the lines that name the account of this one or whose account it names, else the only one that fits."""
        if not side.base_minor:
            return
        for currency in self._currencies:
            if currency != side.currency:
                yield from self._naming_or_only(side, currency)

    def _naming_or_only(self, side: TransferSide, currency: str) -> Iterable[TransferSide]:
        sizes = self._sizes if side.id in self._named else self._naming
        named = [other for other in self._fitting(sizes, side, currency) if self._is_named(side, other)]
        if named:
            return named
        only = self._only(side, currency)
        return () if only is None or self._only(only, side.currency) is not side else (only,)

    def _only(self, side: TransferSide, currency: str) -> TransferSide | None:
        two = list(islice(self._fitting(self._sizes, side, currency), 2))
        return two[0] if len(two) == 1 else None

    def _fitting(self, sizes: _Sizes, side: TransferSide, currency: str) -> Iterator[TransferSide]:
        size = abs(side.base_minor or 0)
        bounds = -(-size * (100 - MOST_PERCENT) // 100), size * 100 // (100 - MOST_PERCENT)
        near = sizes.near(side, currency, bounds, size)
        return (other for other in near if self._may_pair(*_out_first(side, other)))

    def _is_named(self, one: TransferSide, other: TransferSide) -> bool:
        return other.fa_id in self._named.get(one.id, ()) or one.fa_id in self._named.get(other.id, ())


def _by_base(sides: Iterable[TransferSide]) -> _Sizes:
    return _Sizes(sides, size_of=lambda side: abs(side.base_minor or 0), group_of=lambda side: side.currency)


def less_a_fee(
    sides: Sequence[TransferSide], own: Mapping[int, OwnAccount]
) -> Iterator[tuple[TransferSide, TransferSide]]:
    """Pair lines of one currency where up to 5 % less arrives than was sent, and one names the other's account."""
    sizes = _Sizes(
        sides,
        size_of=lambda side: abs(side.amount_minor),
        group_of=lambda side: (side.fa_id, side.currency),
    )
    for side, fa_id in named_accounts(sides, own):
        size = abs(side.amount_minor)
        least, most = fee_bounds(size)
        bounds = (least, size - 1) if side.amount_minor < 0 else (size + 1, most)
        near = sizes.near(side, (fa_id, side.currency), bounds, size)
        yield from (_out_first(side, other) for other in islice(near, 2 * NEAREST))


def fee_bounds(size_minor: int) -> tuple[int, int]:
    """Give the least that may arrive of an amount sent, and the most that may have been sent where it arrived.

    >>> fee_bounds(10000)
    (9500, 10526)
    """
    return -(-size_minor * (100 - MOST_FEE_PERCENT) // 100), size_minor * 100 // (100 - MOST_FEE_PERCENT)


def _out_first(one: TransferSide, other: TransferSide) -> tuple[TransferSide, TransferSide]:
    return (one, other) if one.amount_minor < 0 else (other, one)
