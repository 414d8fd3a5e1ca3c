"""Counter legs: the legs of an entry for each of its bank lines, also in a transfer with two."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from webapp.ledger.journal.entries import Leg


def is_shared(legs: Sequence[Leg]) -> bool:
    """Return whether an entry has the bank legs of several lines.

    >>> out, into = Leg(1, -100, "EUR", is_bank_leg=True, transaction_id=7), Leg(2, 100, "EUR")
    >>> is_shared([out, into]), is_shared([out, Leg(2, 100, "EUR", is_bank_leg=True, transaction_id=8)])
    (False, True)
    """
    return len({leg.transaction_id for leg in legs if leg.is_bank_leg}) > 1


def counter_legs(legs: Sequence[Leg], line_id: int) -> list[Leg]:
    """Return the counter legs of a line: in a shared entry the legs that name it, none in a transfer."""
    return [
        leg for leg in legs if not leg.is_bank_leg and (leg.transaction_id == line_id or not is_shared(legs))
    ]


def other_bank_legs(legs: Sequence[Leg], line_id: int) -> list[Leg]:
    """Return the bank legs of the other lines in a line's entry."""
    return [leg for leg in legs if leg.is_bank_leg and leg.transaction_id not in (line_id, None)]


def opposite(legs: Sequence[Leg], line_id: int) -> list[Leg]:
    """Return the legs opposite a line: its counter legs, or the other bank's leg in a transfer."""
    return counter_legs(legs, line_id) or other_bank_legs(legs, line_id)


def balances(legs: Sequence[Leg], amount_minor: int, currency: str) -> bool:
    """Return whether legs balance a line's amount, in its currency.

    >>> balances([Leg(2, 60, "EUR"), Leg(3, 40, "EUR")], -100, "EUR"), balances([], 0, "EUR")
    (True, False)
    """
    in_currency = all(leg.currency == currency for leg in legs)
    return bool(legs) and in_currency and sum(leg.amount_minor for leg in legs) == -amount_minor


def balancing_leg(bank: Leg, account_id: int) -> Leg:
    """Return the leg on an account that balances a bank leg, named as that line's."""
    return Leg(account_id, -bank.amount_minor, bank.currency, transaction_id=bank.transaction_id)


def with_counter_legs(
    legs: Sequence[Leg], chosen: Mapping[int, Sequence[Leg]], uncategorised_id: int
) -> list[tuple[Leg | None, list[Leg]]]:
    """Pair each bank leg with its counter legs; the bank leg is None for a line of 0.00 without one.

    A line without a choice keeps its counter legs; without counter legs it gets the account `uncategorised_id`.
    In a shared entry every leg names its line, to tell the two apart later.
    """
    bank = [leg for leg in legs if leg.is_bank_leg]
    several = is_shared(legs)
    without_leg = chosen.keys() - {leg.transaction_id for leg in bank}
    sides: list[tuple[Leg | None, list[Leg]]] = [
        (None, list(chosen[line_id])) for line_id in sorted(without_leg)
    ]
    for leg in bank:
        line_id = leg.transaction_id or 0
        own = list(chosen.get(line_id, counter_legs(legs, line_id)))
        if several and line_id not in chosen and not balances(own, leg.amount_minor, leg.currency):
            own = [balancing_leg(leg, uncategorised_id)]
        named = leg.transaction_id if several else None
        sides.append((leg, [replace(each, transaction_id=named) for each in own]))
    return sides
