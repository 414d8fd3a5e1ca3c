"""Legs that are owed in the base currency opposite a foreign one: their share of it in base is their amount."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import bounded, divided


@dataclass(frozen=True, slots=True)
class OwedInBase:
    """What is owed in base: the accounts that are kept in it, and the taxes that documents state.

    `taxes` gives for the size of a tax in its document's currency what the document states of it in base, or None.
    """

    base: str
    accounts: Collection[int] = ()
    taxes: Mapping[int, int | None] = field(default_factory=dict)

    def places(self, leading: Leg, others: Sequence[Leg]) -> set[int]:
        """Find the legs opposite a foreign one that are owed in base; those in base already are, among others.

        >>> bank, cost = Leg(1, -59000, "EUR"), Leg(2, 50000, "EUR")
        >>> OwedInBase("GBP").places(bank, [cost, Leg(3, 7627, "GBP")])
        {1}
        >>> OwedInBase("GBP", {3}).places(bank, [cost, Leg(3, 9000, "EUR")])
        {1}
        >>> OwedInBase("GBP", taxes={9000: None}).places(bank, [cost, Leg(3, 9000, "EUR")])
        {1}
        >>> OwedInBase("GBP").places(bank, [Leg(2, 50000, "GBP")])
        set()
        """
        codes = {leg.currency for leg in others}
        if (
            leading.currency == self.base
            or not leading.amount_minor
            or not codes <= {self.base, leading.currency}
        ):
            return set()
        found = {place for place, leg in enumerate(others) if leg.account_id in self.accounts}
        if len(codes) > 1:
            found |= {place for place, leg in enumerate(others) if leg.currency == self.base}
        taxes = self.of_taxes([leg.amount_minor if leg.currency != self.base else 0 for leg in others])
        return found | taxes.keys()

    def of_taxes(self, sizes: Sequence[int]) -> dict[int, int | None]:
        """Give what is stated of taxes by their places; a size that several legs have is no tax's alone."""
        counted = Counter(map(abs, sizes))
        return {
            place: self.taxes[abs(size)]
            for place, size in enumerate(sizes)
            if abs(size) in self.taxes and counted[abs(size)] == 1
        }


def in_currency(leading: Leg, others: Sequence[Leg], base: str) -> list[Leg]:
    """Return legs opposite a foreign one in its currency: those in base as the part of it that they stand for.

    One alone is what the others leave, several share that by their amounts.

    >>> bank = Leg(1, -59000, "EUR", -50000)
    >>> [leg.amount_minor for leg in in_currency(bank, [Leg(2, 50000, "EUR"), Leg(3, 7627, "GBP")], "GBP")]
    [50000, 9000]
    >>> charged = [Leg(2, 59000, "EUR"), Leg(3, 9492, "GBP"), Leg(4, -9492, "GBP")]
    >>> [leg.amount_minor for leg in in_currency(bank, charged, "GBP")]
    [59000, 11201, -11201]
    """
    if leading.currency == base:
        return list(others)
    sizes = {place: leg.amount_minor for place, leg in enumerate(others) if leg.currency == base}
    rest = -leading.amount_minor - sum(leg.amount_minor for leg in others if leg.currency != base)
    if sum(sizes.values()):
        parts = share(rest, [*sizes.values()])
    else:
        worth = abs(leading.amount_base_minor or leading.amount_minor)
        parts = [divided(size * abs(leading.amount_minor), worth) for size in sizes.values()]
        if parts:
            parts[-1] += rest - sum(parts)
    stood_for = dict(zip(sizes, parts, strict=True))
    return [
        replace(leg, amount_minor=bounded(stood_for[place]), currency=leading.currency)
        if place in stood_for
        else leg
        for place, leg in enumerate(others)
    ]


def parts_of(bank: Leg, others: Sequence[Leg], known: Mapping[int, int]) -> list[int] | None:
    """Give how much of a bank leg each leg opposite it is, in its currency; None where several leave that open.

    `known` has it of legs in other currencies by their places. What is left is of the one that is not known, or of the
    largest of the known ones.

    >>> bank, paid = Leg(1, 95700, "GBP"), [Leg(2, -110000, "USD"), Leg(2, -11000, "CHF"), Leg(3, -100, "GBP")]
    >>> parts_of(bank, paid, {1: -8700}), parts_of(bank, paid, {0: -87000, 1: -8700}), parts_of(bank, paid, {})
    ([-86900, -8700, -100], [-86900, -8700, -100], None)
    """
    parts = [
        known.get(place, 0) if leg.currency != bank.currency else leg.amount_minor
        for place, leg in enumerate(others)
    ]
    abroad = [place for place, leg in enumerate(others) if leg.currency != bank.currency]
    unknown = [place for place in abroad if place not in known]
    if len(unknown) > 1:
        return None
    if abroad:
        taking = unknown[0] if unknown else max(abroad, key=lambda place: abs(parts[place]))
        parts[taking] -= bank.amount_minor + sum(parts)
    return parts


def by_worth(leading: Leg, others: Sequence[Leg], known: Mapping[int, int]) -> list[Leg]:
    """Return legs opposite a foreign one in its currency, of which those in others share the rest by their worth.

    `known` has how much of it some of them are, by their places.

    >>> bank, paid, tax = Leg(1, 90000, "GBP"), Leg(2, -110000, "USD", -102353), Leg(3, -3529, "EUR", -3529)
    >>> [leg.amount_minor for leg in by_worth(bank, [paid, tax], {})]
    [-87000, -3000]
    >>> [leg.amount_minor for leg in by_worth(bank, [paid, tax], {0: -86000})]
    [-86000, -4000]
    """
    foreign = {
        place: leg.amount_base_minor or 0
        for place, leg in enumerate(others)
        if leg.currency != leading.currency and place not in known
    }
    own = sum(leg.amount_minor for leg in others if leg.currency == leading.currency)
    if foreign and not sum(foreign.values()):
        return list(others)
    shares = share(-leading.amount_minor - own - sum(known.values()), [*foreign.values()]) if foreign else []
    parts = {**known, **dict(zip(foreign, shares, strict=True))}
    return [
        replace(leg, amount_minor=bounded(parts[place]), currency=leading.currency) if place in parts else leg
        for place, leg in enumerate(others)
    ]


def with_base_shares(leading: Leg, others: Sequence[Leg], owed: OwedInBase) -> list[Leg]:
    """Mirror legs opposite a foreign one that has its mirror; those owed in base get their share as amount.

    A tax that is stated in base is that amount, and the others share the rest.

    >>> bill, parts = Leg(1, -59000, "EUR", -50000), [Leg(2, 50000, "EUR"), Leg(3, 9000, "EUR")]
    >>> [(leg.amount_minor, leg.currency) for leg in with_base_shares(bill, parts, OwedInBase("GBP", {3}))]
    [(50000, 'EUR'), (7627, 'GBP')]
    >>> [leg.amount_base_minor for leg in with_base_shares(bill, parts, OwedInBase("GBP", {3}, {9000: 7650}))]
    [42350, 7650]
    """
    weights = [leg.amount_minor for leg in in_currency(leading, others, owed.base)]
    in_base = owed.places(leading, others)
    stated = {
        place: size if weights[place] > 0 else -size
        for place, size in owed.of_taxes(weights).items()
        if size is not None and place in in_base
    }
    return _shared(leading, others, owed, stated)


def with_written_shares(leading: Leg, others: Sequence[Leg], owed: OwedInBase) -> list[Leg] | None:
    """Mirror legs opposite a foreign one, of which those in base stay as written; the others share the rest.

    None where they are apart from their share by more than rounding, so that something else is meant.

    >>> bill = Leg(1, -59000, "EUR", -50000)
    >>> written = [Leg(2, 50000, "EUR"), Leg(3, 7626, "GBP")]
    >>> [leg.amount_base_minor for leg in with_written_shares(bill, written, OwedInBase("GBP"))]
    [42374, 7626]
    >>> with_written_shares(bill, [Leg(2, 50000, "EUR"), Leg(3, 17627, "GBP")], OwedInBase("GBP"))
    """
    shares = with_base_shares(leading, others, owed)
    written = {place: leg.amount_minor for place, leg in enumerate(others) if leg.currency == owed.base}
    apart = sum(size - shares[place].amount_minor for place, size in written.items())
    if abs(apart) > len(others):
        return None
    return _shared(leading, others, owed, written)


def _shared(leading: Leg, others: Sequence[Leg], owed: OwedInBase, fixed: Mapping[int, int]) -> list[Leg]:
    weights = [leg.amount_minor for leg in in_currency(leading, others, owed.base)]
    in_base = owed.places(leading, others)
    free = [place for place in range(len(others)) if place not in fixed]
    if not sum(weights[place] for place in free):
        # Nothing else could take what the stated amount differs by.
        fixed, free = {}, list(range(len(others)))
    total = -(leading.amount_base_minor or 0) - sum(fixed.values())
    parts = {**fixed, **dict(zip(free, share(total, [weights[place] for place in free]), strict=True))}
    return [
        replace(leg, amount_minor=bounded(parts[place]), currency=owed.base, amount_base_minor=parts[place])
        if place in in_base
        else replace(leg, amount_base_minor=bounded(parts[place]))
        for place, leg in enumerate(others)
    ]
