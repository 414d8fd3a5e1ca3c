"""Mirrors: the amount of each leg in the base currency, so that the entry balances there too."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from webapp.ledger.journal.entries import (
    Leg,
    UnbalancedError,
    check_amounts,
    is_base_only,
    keeps_base,
    mirrored,
)
from webapp.ledger.money import Money, bounded, divided
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
    if len(weights) == 1:
        return [total]
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
    """List the currencies of an entry without a rate, A to Z; legs that share what somebody wrote need none."""
    groups = _by_currency([leg for leg in legs if not is_base_only(leg)])
    return sorted({code for code, group in groups.items() if _is_rated(group)} - rates.keys() - {base})


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
        return tuple(leg if keeps_base(leg) else replace(leg, amount_base_minor=None) for leg in legs)
    all_rates = {**rates, base: Decimal(1)}
    if len({leg.currency for leg in legs}) > 1 and any(_takes_rest(leg, base) for leg in legs):
        return mirror_taxed(legs, base, all_rates)
    if any(leg.has_own_base for leg in legs):
        return mirror_with_own(legs, base, all_rates, rests)
    if any(is_base_only(leg) for leg in legs):
        return mirror_with_differences(legs, base, all_rates, rests)
    if len({leg.currency for leg in legs}) == 1:
        return mirror_one_currency(legs, base, all_rates[legs[0].currency])
    return mirror_several_currencies(legs, base, all_rates, rests)


def mirror_taxed(legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal]) -> tuple[Leg, ...]:
    """Mirror an entry with taxes in base: money and what is owed by its rate, what has a code takes the rest.

    >>> sold = [Leg(1, 119000, "USD"), Leg(2, -99167, "USD", tax_code_id=7), Leg(3, -17246, "GBP", tax_code_id=7)]
    >>> [leg.amount_base_minor for leg in mirror_taxed(sold, "GBP", {"GBP": Decimal(1), "USD": Decimal("1.1")})]
    [108182, -90936, -17246]
    """
    taking = [place for place, leg in enumerate(legs) if _takes_rest(leg, base)]
    found = [leg if place in taking else mirror_each([leg], base, rates)[0] for place, leg in enumerate(legs)]
    rest = -sum(mirrored(leg) for place, leg in enumerate(found) if place not in taking)
    weights = [legs[place].amount_minor for place in taking]
    if rest and not sum(weights):
        raise UnbalancedError(Money(-rest, base))
    for place, part in zip(taking, share(rest, weights), strict=True):
        found[place] = replace(legs[place], amount_base_minor=bounded(part))
    return tuple(found)


def _takes_rest(leg: Leg, base: str) -> bool:
    return leg.tax_code_id is not None and leg.currency != base and not keeps_base(leg)


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
        _replace(mirrored_legs, currency, partial(_by_rates, base=base, rates=rates))
    return _with_rounding(mirrored_legs, base, _count_rated(legs, base), rests)


def mirror_with_own(
    legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal], rests: RestAccounts
) -> tuple[Leg, ...]:
    """Mirror an entry in which somebody wrote amounts in the base currency.

    These are taken. The other legs in their currency share the rest by largest remainder: of that currency where it
    balances, else of the entry. Legs in other currencies are mirrored by their rates, with up to one minor unit each
    of rounding; more is an UnbalancedError.

    >>> sold = [Leg(1, 94400, "EUR", 81200, has_own_base=True), Leg(2, -70800, "EUR"), Leg(3, -23600, "EUR")]
    >>> [leg.amount_base_minor for leg in mirror_with_own(sold, "GBP", {}, RestAccounts(9))]
    [81200, -60900, -20300]
    >>> paid = [Leg(1, -81200, "GBP"), Leg(2, 90000, "EUR", 80000, has_own_base=True), Leg(3, 4400, "EUR")]
    >>> [leg.amount_base_minor for leg in mirror_with_own(paid, "GBP", {"GBP": Decimal(1)}, RestAccounts(9))]
    [-81200, 80000, 1200]
    """
    mirrored_legs, waiting = list(legs), []
    for currency, group in _by_currency([leg for leg in legs if not is_base_only(leg)]).items():
        if not any(leg.has_own_base for leg in group):
            _replace(mirrored_legs, currency, partial(_by_rates, base=base, rates=rates))
        elif not sum(leg.amount_minor for leg in group):
            _replace(mirrored_legs, currency, partial(_sharing, rest=0, base=base, rates=rates))
        elif not all(leg.has_own_base for leg in group):
            waiting.append(currency)
    for number, currency in enumerate(waiting, 1):
        others = sum(leg.amount_base_minor or 0 for leg in mirrored_legs if leg.currency != currency)
        rest = others if number == len(waiting) else None
        _replace(mirrored_legs, currency, partial(_sharing, rest=rest, base=base, rates=rates))
    rated = sum(_is_by_rate(leg, legs, base) for leg in legs)
    return _with_rounding(mirrored_legs, base, rated, rests)


def _sharing(
    group: Sequence[Leg], *, rest: int | None, base: str, rates: Mapping[str, Decimal]
) -> Sequence[Leg]:
    """Let legs of one currency without an amount of their own share the opposite of a rest and of the others.

    Without a rest they are at the rate of the others.
    """
    own = [leg for leg in group if leg.has_own_base]
    bare = [leg for leg in group if not leg.has_own_base]
    weights = [leg.amount_minor for leg in bare]
    given, whole = sum(mirrored(leg) for leg in own), sum(weights)
    if rest is None:
        paid = sum(leg.amount_minor for leg in own)
        total = divided(given * whole, paid) if paid else 0
    else:
        total = -given - rest
    if bare and not whole and not total:
        fresh = list(_by_rates(bare, base=base, rates=rates))
    elif total * whole < 0 or (total and not whole):
        raise UnbalancedError(Money(-total, base))
    else:
        parts = share(total, weights) if bare else []
        fresh = [replace(leg, amount_base_minor=bounded(part)) for leg, part in zip(bare, parts, strict=True)]
    return [leg if leg.has_own_base else fresh.pop(0) for leg in group]


def _by_rates(group: Sequence[Leg], *, base: str, rates: Mapping[str, Decimal]) -> Sequence[Leg]:
    """Mirror legs of one currency: together where they balance, else each by its rate."""
    is_balanced = len(group) > 1 and sum(leg.amount_minor for leg in group) == 0
    if is_balanced and group[0].currency != base:
        return mirror_one_currency(group, base, rates[group[0].currency])
    return mirror_each(group, base, rates)


def _replace(legs: list[Leg], currency: str, change: Callable[[Sequence[Leg]], Sequence[Leg]]) -> None:
    """Replace the legs in a currency, but those that move only the base, by what a change makes of them together."""
    places = [place for place, leg in enumerate(legs) if leg.currency == currency and not is_base_only(leg)]
    for place, leg in zip(places, change([legs[place] for place in places]), strict=True):
        legs[place] = leg


def _with_rounding(legs: Sequence[Leg], base: str, most: int, rests: RestAccounts) -> tuple[Leg, ...]:
    rest = sum(mirrored(leg) for leg in legs)
    if abs(rest) > most:
        raise UnbalancedError(Money(rest, base))
    return (*legs, *([Leg(rests.rounding_id, bounded(-rest), base, -rest)] if rest else []))


def _by_currency(legs: Sequence[Leg]) -> dict[str, list[Leg]]:
    groups: dict[str, list[Leg]] = {}
    for leg in legs:
        groups.setdefault(leg.currency, []).append(leg)
    return groups


def _is_rated(group: Sequence[Leg]) -> bool:
    """Return whether the rate of a day decides legs of one currency, or some of them."""
    bare = [leg for leg in group if not leg.has_own_base]
    is_own = len(bare) != len(group)
    return bool(bare) and (not is_own or sum(leg.amount_minor for leg in bare) == 0)


def _is_by_rate(leg: Leg, legs: Sequence[Leg], base: str) -> bool:
    is_own = any(each.has_own_base for each in legs if each.currency == leg.currency)
    return not is_own and leg.currency != base and not is_base_only(leg)


def mirror_each(legs: Sequence[Leg], base: str, rates: Mapping[str, Decimal]) -> list[Leg]:
    """Mirror every leg by its own rate, with any rest; a leg of only the base currency stays.

    >>> [leg.amount_base_minor for leg in mirror_each([Leg(1, 1086, "USD")], "EUR", {"USD": Decimal("1.0842")})]
    [1002]
    """
    return [leg if keeps_base(leg) else _by_rate(leg, base, rates) for leg in legs]


def _count_rated(legs: Sequence[Leg], base: str) -> int:
    return sum(leg.currency != base and not keeps_base(leg) for leg in legs)


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
    has_differences = any(keeps_base(leg) for leg in others)
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


def mirror_paid(
    bank: Leg, others: Sequence[Leg], in_line: Sequence[int], base: str, differences_id: int
) -> tuple[Leg, ...]:
    """Mirror legs that pay in other currencies, opposite a bank leg with its mirror, by how much of it each is.

    A leg in the base currency is worth its amount. The entry realises the difference from the line's worth
    by a leg in the last place. Pass the legs without that leg.

    >>> bank = Leg(1, 93000, "EUR", 93000, is_bank_leg=True)
    >>> [leg.amount_base_minor for leg in mirror_paid(bank, [Leg(2, -110000, "USD")], [-93000], "EUR", 9)]
    [-93000]
    >>> bank, paid = Leg(1, 110000, "USD", 91667), [Leg(3, -10000, "USD"), Leg(2, -90000, "EUR")]
    >>> [leg.amount_base_minor for leg in mirror_paid(bank, paid, [-10000, -100000], "EUR", 9)]
    [-8333, -90000, 6666]
    """
    parts = share(-mirrored(bank), in_line)
    rest = 0
    for place, leg in enumerate(others):
        if base == leg.currency != bank.currency:
            rest, parts[place] = rest + parts[place] - leg.amount_minor, leg.amount_minor
    paid = [replace(leg, amount_base_minor=bounded(part)) for leg, part in zip(others, parts, strict=True)]
    difference = [Leg(differences_id, bounded(rest), base, rest)] if rest else []
    return (*paid, *difference)
