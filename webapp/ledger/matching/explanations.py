"""What explains an amount: an entry and a line that describe the same money, and lines that add up to a difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final, NamedTuple

# A bank books a card sale a few days later, and on the next working day what was written before a holiday.
DAYS_APART: Final = timedelta(days=7)
MOST_AMOUNTS: Final = 250


class BankAmount(NamedTuple):
    """Money that moves on a bank account: debit above zero, in minor units, on a day."""

    account_id: int
    currency: str
    amount_minor: int
    day: date

    def tells_of(self, other: BankAmount) -> bool:
        """Return whether both describe the same money, by account, amount and day.

        >>> line = BankAmount(3, "EUR", 1000, date(2026, 3, 9))
        >>> [line.tells_of(line._replace(day=date(2026, 3, day))) for day in (1, 2, 16, 17)]
        [False, True, True, False]
        >>> line.tells_of(line._replace(amount_minor=-1000))
        False
        """
        return self[:-1] == other[:-1] and abs(self.day - other.day) <= DAYS_APART


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
