"""Differences of linked transfers: the rest of two sides on the transfers account, and its clearing entry."""

from collections import Counter
from collections.abc import Iterable, Sequence

from webapp.ledger.journal.entries import Leg, mirrored


def are_opposite(one: Iterable[Leg], other: Iterable[Leg]) -> bool:
    """Return whether two sides are one transfer: zero together in one currency, or opposite in two.

    >>> out, into = [Leg(1, 1100, "USD", 1000)], [Leg(1, -990, "EUR", -990)]
    >>> are_opposite(out, into), are_opposite(out, []), are_opposite(out, [Leg(1, -1099, "USD", -999)])
    (True, False, False)
    """
    mine, theirs = _amounts(one), _amounts(other)
    if len(mine) != 1 or len(theirs) != 1:
        return False
    [(currency, amount)], [(other_currency, other_amount)] = mine.items(), theirs.items()
    return amount == -other_amount if currency == other_currency else amount * other_amount < 0


def clearing(sides: Iterable[Leg], base: str, difference_account_id: int) -> tuple[Leg, ...]:
    """Return the legs that bring the sides of a transfer to zero in each currency, or none.

    The rest in the base currency goes to the account of differences: a debit is a loss. All sides are on one
    account.

    >>> dollars, euros = Leg(1, 1100, "USD", 1000), Leg(1, -990, "EUR", -990)
    >>> for leg in clearing([dollars, euros], "EUR", 9):
    ...     print(leg.account_id, leg.amount_minor, leg.currency, leg.amount_base_minor)
    1 -1100 USD -1000
    1 990 EUR 990
    9 10 EUR 10
    """
    amounts: Counter[str] = Counter()
    bases: Counter[str] = Counter()
    account_id = 0
    for leg in sides:
        account_id = leg.account_id
        amounts[leg.currency] += leg.amount_minor
        bases[leg.currency] += mirrored(leg)
    legs = [
        Leg(account_id, -amounts[currency], currency, -bases[currency])
        for currency in amounts
        if amounts[currency] or bases[currency]
    ]
    rest = sum(bases.values())
    return (*legs, Leg(difference_account_id, rest, base, rest)) if rest else tuple(legs)


def is_nil(legs: Sequence[Leg]) -> bool:
    """Return whether legs of one account add up to zero in each currency and in the base currency."""
    return not clearing(legs, "", 0)


def _amounts(legs: Iterable[Leg]) -> dict[str, int]:
    amounts: Counter[str] = Counter()
    for leg in legs:
        amounts[leg.currency] += leg.amount_minor
    return {currency: amount for currency, amount in amounts.items() if amount}
