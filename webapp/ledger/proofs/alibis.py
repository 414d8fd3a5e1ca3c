"""The alibi of lost lines: whether the lines between the balances that a bank stated explain them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import accumulate, pairwise

from webapp.ledger.money import Money
from webapp.ledger.proofs.covered_months import Stated


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The first stated balance that the lines since the one before do not explain, and by how much it is higher.

    With `is_brief` the next balance is explained again, so that this one itself may be wrong.
    """

    after: date
    day: date
    amount: Money
    is_brief: bool


def first_disagreement(stated: Sequence[Stated], moved: Mapping[date, int]) -> Disagreement | None:
    """Find the first balance that is off from the first one on; `moved` has the sum of each day's lines.

    A balance may be from before the lines of its own day: it lacks all of them and agrees, unless the next does too.

    >>> days = [date(2026, 8, day) for day in (29, 30, 31)]
    >>> balances = [Stated(day, Money(minor, "EUR")) for day, minor in zip(days, (500, 300, 101_145))]
    >>> found = first_disagreement(balances, {days[1]: -200, days[2]: 200})
    >>> found.day.day, found.after.day, found.amount.formatted
    (31, 30, '1,006.45 EUR')
    >>> first_disagreement(balances, {days[1]: -200, days[2]: 100_845}) is None
    True
    """
    days, after = sorted(moved), 0
    offs = [0, *accumulate(_off(*pair, moved, days) for pair in pairwise(stated))]
    for place, off in enumerate(offs):
        following = offs[place + 1] if place + 1 < len(offs) else None
        if off == 0:
            after = place
        elif off + moved.get(stated[place].day, 0) or following == off:
            amount = Money(off, stated[place].amount.currency)
            return Disagreement(stated[after].day, stated[place].day, amount, is_brief=following == 0)
    return None


def _off(earlier: Stated, later: Stated, moved: Mapping[date, int], days: Sequence[date]) -> int:
    """Give how much more a bank's balance moved than its lines."""
    lines = sum(moved[day] for day in days if earlier.day < day <= later.day)
    return later.amount.minor - earlier.amount.minor - lines
