"""Rules of tax codes: what a code makes of a base and its tax, by account and by box of a form."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Final, NamedTuple

from webapp.ledger.journal.boxes import BoxAmount, Boxes, BoxShare
from webapp.ledger.journal.mirrors import share
from webapp.ledger.money import bounded, divided

ONE: Final = Decimal(1)
HUNDRED: Final = 100
SHARE_KINDS: Final = ("BASE", "TAX")
TAX_BASES: Final = ("ACCRUAL", "CASH")
TAX_ROLES: Final = ("output", "input")
# The account on which returns are owed keeps items.
AUTHORITY: Final = "authority"
# Tax that waits for money, by side, and the contra of the tax of advances.
WAITING: Final = {"SALE": "waiting_sales", "PURCHASE": "waiting_purchases"}
ADVANCES: Final = "advances"


@dataclass(frozen=True, slots=True)
class TaxShare:
    """A share of a base or a tax: its factor, the role of its account, and its boxes.

    Without a role it is on the account of the base itself, as tax that cannot be deducted.
    """

    of: str
    factor: Decimal
    role: str | None = None
    boxes: tuple[BoxShare, ...] = ()


@dataclass(frozen=True)
class TaxRule:
    """What a tax code computes and posts; `rate` is per cent, and with `is_all_tax` the whole amount is tax."""

    side: str
    rate: Decimal
    shares: tuple[TaxShare, ...]
    basis: str = "ACCRUAL"
    is_all_tax: bool = False
    is_self_assessed: bool = False

    @property
    def waits(self) -> bool:
        """Return whether its tax waits for money; what the buyer assesses himself never does."""
        return self.basis == "CASH"

    @cached_property
    def sign(self) -> int:
        """The sign of its legs: a purchase is a debit, a sale a credit."""
        return 1 if self.side == "PURCHASE" else -1

    @cached_property
    def of_tax(self) -> tuple[TaxShare, ...]:
        """The shares of its tax."""
        return tuple(replace(each, boxes=_once(each.boxes)) for each in self.shares if each.of == "TAX")

    @cached_property
    def tax_factors(self) -> list[Decimal]:
        """The factors of the shares of its tax."""
        return [each.factor for each in self.of_tax]

    @cached_property
    def boxes_of_base(self) -> tuple[BoxShare, ...]:
        """The boxes that its base enters."""
        return _once(box for each in self.shares if each.of == "BASE" for box in each.boxes)

    @cached_property
    def has_joined_tax(self) -> bool:
        """Return whether a part of its tax joins the base."""
        return not all(each.role for each in self.of_tax)


class TaxLeg(NamedTuple):
    """A share of a tax on the account of its role: its amount in the base currency, and its boxes."""

    role: str
    amount_minor: int
    boxes: Boxes


def tax_added(base_minor: int, rate: Decimal) -> int:
    """Return the tax on top of a base, rounded half away from zero.

    >>> tax_added(3333, Decimal(20)), tax_added(-50, Decimal("17.5")), tax_added(8749, Decimal(20))
    (667, -9, 1750)
    """
    numerator, denominator = rate.as_integer_ratio()
    return bounded(divided(base_minor * numerator, denominator * HUNDRED))


def tax_within(gross_minor: int, rate: Decimal) -> int:
    """Return the tax that a gross amount includes, rounded half away from zero.

    >>> tax_within(5999, Decimal(20)), tax_within(3, Decimal(20)), tax_within(-2100, Decimal(20))
    (1000, 1, -350)
    """
    numerator, denominator = rate.as_integer_ratio()
    return bounded(divided(gross_minor * numerator, denominator * HUNDRED + numerator))


def split_by(total: int, factors: Sequence[Decimal]) -> list[int]:
    """Split a total by factors; of one sign the last takes the rest, so that halves add up again.

    >>> half = Decimal("0.5")
    >>> split_by(3333, [half, half]), split_by(2086, [Decimal(1), Decimal(-1)]), split_by(101, [half])
    ([1667, 1666], [2086, -2086], [51])
    """
    parts = [_times(total, factor) for factor in factors]
    if len(parts) == 1:
        return parts
    for is_negative in (False, True):
        places = [place for place, factor in enumerate(factors) if (factor < 0) == is_negative]
        if len(places) > 1:
            whole = _times(total, sum((factors[place] for place in places), start=Decimal(0)))
            parts[places[-1]] = whole - sum(parts[place] for place in places[:-1])
    return parts


def tax_legs(rule: TaxRule, tax_minor: int) -> list[TaxLeg]:
    """Return the legs of a tax on the accounts of taxes, debit positive; what joins the base is not among them.

    >>> both = (TaxShare("TAX", Decimal(1), "input"), TaxShare("TAX", Decimal(-1), "output"))
    >>> [(leg.role, leg.amount_minor) for leg in tax_legs(TaxRule("PURCHASE", Decimal(20), both), 500)]
    [('input', 500), ('output', -500)]
    """
    parts, sign = split_by(tax_minor, rule.tax_factors), rule.sign
    return [
        TaxLeg(each.role, sign * part, _boxes_of(each.boxes, tax_minor, each.factor, part))
        for each, part in zip(rule.of_tax, parts, strict=True)
        if each.role is not None
    ]


def joined_tax(rule: TaxRule, tax_minor: int) -> int:
    """Return the part of a tax that joins its base, because it cannot be deducted.

    >>> half = (TaxShare("TAX", Decimal("0.5"), "input"), TaxShare("TAX", Decimal("0.5")))
    >>> joined_tax(TaxRule("PURCHASE", Decimal(20), half), 3333)
    1666
    """
    if not rule.has_joined_tax:
        return 0
    parts = split_by(tax_minor, rule.tax_factors)
    return sum(part for each, part in zip(rule.of_tax, parts, strict=True) if each.role is None)


def base_boxes(rule: TaxRule, bases: Sequence[int], total: int) -> list[Boxes]:
    """Return the boxes of each base of a code; `total` is what all of them are in the base currency."""
    parts = share(total, bases) if sum(bases) else [0] * len(bases)
    return [_boxes_of(rule.boxes_of_base, part, ONE, part) for part in parts]


def _once(boxes: Iterable[BoxShare]) -> tuple[BoxShare, ...]:
    """Return the boxes A to Z, each once."""
    factors: dict[tuple[str, str], Decimal] = {}
    for form, box, factor in boxes:
        factors[form, box] = factors.get((form, box), Decimal(0)) + factor
    return tuple(BoxShare(*key, factor) for key, factor in sorted(factors.items()))


def _boxes_of(boxes: Iterable[BoxShare], total: int, own: Decimal, part: int) -> Boxes:
    """Return boxes of a share of a total; one that is as large as the share gets the very figure that is posted.

    `own` is the factor of the share, and `part` its amount.
    """
    return tuple(
        [
            BoxAmount(form, box, bounded(minor))
            for form, box, factor in boxes
            if (minor := part if factor == own else -part if factor == -own else _times(total, factor))
        ]
    )


def _times(amount: int, factor: Decimal) -> int:
    if factor == ONE:
        return amount
    numerator, denominator = factor.as_integer_ratio()
    return divided(amount * numerator, denominator)
