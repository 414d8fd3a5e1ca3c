"""Mirrors: the amount of each leg in the base currency, so that the entry balances there too."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from webapp.ledger.journal.entries import Leg, UnbalancedError, check_amounts, is_base_only, mirrored
from webapp.ledger.money import Money, bounded
from webapp.ledger.rates import mirror


@dataclass(frozen=True, slots=True)
class RestAccounts:
    """The accounts for the rest that the rates of an entry in several currencies leave.

    `realised_exchange_id` is only for an exchange between own accounts, otherwise None:
    there a rest larger than rounding means wrong amounts or rates.
    """

    rounding_id: int
    realised_exchange_id: int | None = None


def share(total: int, weights: Sequence[int]) -> list[int]:
    """Share a total in proportion to weights by largest remainder, so that it adds up again.

    Weights may have either sign; spare units go to the largest remainders, among equal ones to the first.
    Raises ValueError if the weights add up to nothing and the total does not.

    >>> share(1000, [1, 1, 1]), share(-1000, [1, 1, 1])
    ([334, 333, 333], [-334, -333, -333])
    >>> share(100, [105, -5])
    [105, -5]
    >>> share(1, [-1, -1])
    [1, 0]
    """
    whole = sum(weights)
    if whole == 0:
        if total:
            raise ValueError(weights)
        return [0] * len(weights)
    # Cut towards zero, not floored: a refund then shares out exactly as its charge did.
    sign = -1 if whole < 0 else 1
    products = [total * weight * sign for weight in weights]
    shares = [abs(product) // abs(whole) * (1 if product > 0 else -1) for product in products]
    spare = total - sum(shares)
    step = 1 if spare > 0 else -1
    remainders = [
        (product - part * abs(whole)) * step for product, part in zip(products, shares, strict=True)
    ]
    by_remainder = sorted(range(len(shares)), key=lambda index: (-remainders[index], index))
    for index in by_remainder[: abs(spare)]:
        shares[index] += step
    return shares


def missing_currencies(legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal]) -> list[str]:
    """List the currencies of an entry without a rate, A to Z."""
    return sorted({leg.currency for leg in legs if not is_base_only(leg)} - rates.keys() - {base})


def with_mirrors(
    legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal], rests: RestAccounts
) -> tuple[Leg, ...]:
    """Mirror an entry in the base currency; `rates` are units of a currency for one unit of base.

    An entry in one currency sums to zero without a further leg; in several it may get a leg for the rest,
    in the last place. If any rate is missing, no leg has a mirror, but a leg that moves only the base currency
    keeps what it has. Raises UnbalancedError. Pass the legs without the rest of an earlier mirroring.
    """
    check_amounts(legs)
    if missing_currencies(legs, base, rates):
        return tuple(leg if is_base_only(leg) else replace(leg, amount_base_minor=None) for leg in legs)
    all_rates = {**rates, base: Decimal(1)}
    if any(is_base_only(leg) for leg in legs):
        return mirror_with_differences(legs, base, all_rates, rests)
    if len({leg.currency for leg in legs}) == 1:
        return mirror_one_currency(legs, base, all_rates[legs[0].currency])
    return mirror_several_currencies(legs, base, all_rates, rests)


def mirror_one_currency(legs: Sequence[Leg], base: str, rate: Decimal) -> tuple[Leg, ...]:
    """Mirror one leg by the rate and let the others share its opposite.

    That leg is the bank leg, else the largest; the legs must balance in their currency.

    >>> legs = [Leg(1, -1000, "USD", is_bank_leg=True), *(Leg(2, part, "USD") for part in (333, 333, 334))]
    >>> [leg.amount_base_minor for leg in mirror_one_currency(legs, "EUR", Decimal("1.0842"))]
    [-922, 307, 307, 308]
    """
    if legs[0].currency == base:
        return tuple(replace(leg, amount_base_minor=leg.amount_minor) for leg in legs)
    leading = _leading(legs)
    opposite = -mirror(legs[leading].amount_minor, legs[leading].currency, base, rate)
    others = [leg.amount_minor for index, leg in enumerate(legs) if index != leading]
    shares = share(opposite, others)
    shares.insert(leading, -opposite)
    return tuple(
        replace(leg, amount_base_minor=bounded(part)) for leg, part in zip(legs, shares, strict=True)
    )


def mirror_several_currencies(
    legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal], rests: RestAccounts
) -> tuple[Leg, ...]:
    """Mirror each leg by its own rate, and add a leg for the rest.

    Up to one minor unit per leg is rounding; more is an exchange difference between own accounts,
    and an UnbalancedError on anything else.

    >>> bought = [Leg(1, -1000, "EUR"), Leg(2, 1086, "USD")]
    >>> mirror_several_currencies(bought, "EUR", {"USD": Decimal("1.0842")}, RestAccounts(9))[-1].account_id
    9
    >>> mirror_several_currencies(bought, "EUR", {"USD": Decimal("1.0942")}, RestAccounts(9))
    Traceback (most recent call last):
    webapp.ledger.journal.entries.UnbalancedError: Credits exceed debits by 0.07 EUR.
    """
    legs = mirror_each(legs, base, rates)
    rest = sum(mirrored(leg) for leg in legs)
    if rest == 0:
        return tuple(legs)
    account_id = rests.rounding_id if abs(rest) <= len(legs) else rests.realised_exchange_id
    if account_id is None:
        raise UnbalancedError(Money(rest, base))
    return (*legs, Leg(account_id, bounded(-rest), base, -rest))


def mirror_with_differences(
    legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal], rests: RestAccounts
) -> tuple[Leg, ...]:
    """Mirror the legs of an entry, but keep those that move only the base currency.

    Legs that balance in one currency are mirrored together, the others each by its rate. Up to one minor
    unit per mirrored leg is rounding; more is an UnbalancedError, since only the writer knows the reason
    of the difference.

    >>> settled = [Leg(1, 0, "USD", -8333), Leg(2, 8333, "EUR")]
    >>> [leg.amount_base_minor for leg in mirror_with_differences(settled, "EUR", {}, RestAccounts(9))]
    [-8333, 8333]
    """
    mirrored_legs = list(legs)
    for currency in dict.fromkeys(leg.currency for leg in legs if not is_base_only(leg)):
        places = [
            place for place, leg in enumerate(legs) if leg.currency == currency and not is_base_only(leg)
        ]
        group = [legs[place] for place in places]
        is_balanced = len(group) > 1 and sum(leg.amount_minor for leg in group) == 0
        fresh = (
            mirror_one_currency(group, base, rates[currency])
            if is_balanced and currency != base
            else mirror_each(group, base, rates)
        )
        for place, leg in zip(places, fresh, strict=True):
            mirrored_legs[place] = leg
    rest = sum(mirrored(leg) for leg in mirrored_legs)
    if abs(rest) > _count_rated(legs, base):
        raise UnbalancedError(Money(rest, base))
    return (*mirrored_legs, *([Leg(rests.rounding_id, bounded(-rest), base, -rest)] if rest else []))


def mirror_each(legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal]) -> list[Leg]:
    """Mirror every leg by its own rate, with any rest; a leg of only the base currency stays.

    >>> [leg.amount_base_minor for leg in mirror_each([Leg(1, 1086, "USD")], "EUR", {"USD": Decimal("1.0842")})]
    [1002]
    """
    return [leg if is_base_only(leg) else _by_rate(leg, base, rates) for leg in legs]


def _count_rated(legs: Sequence[Leg], base: str) -> int:
    return sum(leg.currency != base and not is_base_only(leg) for leg in legs)


def _by_rate(leg: Leg, base: str, rates: Mapping[str, Decimal]) -> Leg:
    own = leg.currency == base
    worth = leg.amount_minor if own else mirror(leg.amount_minor, leg.currency, base, rates[leg.currency])
    return replace(leg, amount_base_minor=worth)


def without_rest(legs: Sequence[Leg], base: str, rests: Collection[int]) -> list[Leg]:
    """Return the legs of an entry without the rest of an earlier mirroring.

    `rests` are the accounts of such legs.

    >>> bought = [Leg(1, -1000, "EUR", -1000), Leg(2, 1086, "USD", 1002), Leg(9, -2, "EUR", -2)]
    >>> len(without_rest(bought, "EUR", {9})), len(without_rest(bought, "EUR", {8}))
    (2, 3)
    >>> settled = [Leg(1, 0, "USD", -5), Leg(2, 0, "GBP", -4), Leg(9, 9, "EUR", 9)]
    >>> len(without_rest(settled, "EUR", {9}))
    3
    """
    *others, last = legs
    has_differences = any(is_base_only(leg) for leg in others)
    is_rest = (
        not (has_differences and abs(last.amount_minor) > _count_rated(others, base))
        and last.account_id in rests
        and last.currency == base
        and not last.is_bank_leg
        and last.amount_base_minor == last.amount_minor
        and len({leg.currency for leg in others}) > 1
    )
    return others if is_rest else list(legs)


def _leading(legs: Sequence[Leg]) -> int:
    """Find the leg that the rate decides; a bank leg of nothing cannot lead."""
    return max(
        range(len(legs)),
        key=lambda index: (
            legs[index].is_bank_leg and legs[index].amount_minor != 0,
            abs(legs[index].amount_minor),
        ),
    )


def is_paid_abroad(legs: Sequence[Leg]) -> bool:
    """Return whether legs belong to one bank line and exactly one counter leg is in another currency.

    >>> bank = Leg(1, 93000, "EUR", is_bank_leg=True, transaction_id=7)
    >>> is_paid_abroad([bank, Leg(2, -110000, "USD")]), is_paid_abroad([bank, Leg(2, -93000, "EUR")])
    (True, False)
    """
    bank = [leg for leg in legs if leg.is_bank_leg]
    return len(bank) == 1 and sum(leg.currency != bank[0].currency for leg in legs) == 1


def mirror_paid(
    legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal], differences_id: int
) -> tuple[Leg, ...]:
    """Mirror a line whose leg in another currency takes the rest of the line.

    A leg in the base currency is worth its amount. The entry realises the difference from the line's worth
    by a leg in the last place. Pass the legs without that leg.

    >>> paid = [Leg(1, 93000, "EUR", is_bank_leg=True), Leg(2, -110000, "USD")]
    >>> [leg.amount_base_minor for leg in mirror_paid(paid, "EUR", {}, 9)]
    [93000, -93000]
    >>> paid = [Leg(1, 110000, "USD", is_bank_leg=True), Leg(3, -10000, "USD"), Leg(2, -90000, "EUR")]
    >>> [leg.amount_base_minor for leg in mirror_paid(paid, "EUR", {"USD": Decimal("1.2")}, 9)]
    [91667, -8333, -90000, 6666]
    """
    bank = next(leg for leg in legs if leg.is_bank_leg)
    own = bank.currency == base
    worth = bank.amount_minor if own else mirror(bank.amount_minor, bank.currency, base, rates[bank.currency])
    others = [leg for leg in legs if not leg.is_bank_leg]
    in_line = [leg.amount_minor if leg.currency == bank.currency else 0 for leg in others]
    abroad = next(place for place, leg in enumerate(others) if leg.currency != bank.currency)
    in_line[abroad] = -bank.amount_minor - sum(in_line)
    parts = share(-worth, in_line)
    rest = 0
    if others[abroad].currency == base:
        rest, parts[abroad] = parts[abroad] - others[abroad].amount_minor, others[abroad].amount_minor
    mirrored = [
        replace(leg, amount_base_minor=bounded(part)) for leg, part in zip(others, parts, strict=True)
    ]
    difference = [Leg(differences_id, bounded(rest), base, rest)] if rest else []
    return (replace(bank, amount_base_minor=bounded(worth)), *mirrored, *difference)
