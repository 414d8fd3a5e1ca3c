"""Mirrors of a bank line that pays items in another currency: its own worth decides, not their rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from webapp.ledger.journal.entries import Leg
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import bounded
from webapp.ledger.rates import mirror


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
