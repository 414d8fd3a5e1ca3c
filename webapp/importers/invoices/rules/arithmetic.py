"""XPath's arithmetic: a missing figure makes every comparison false, and halves are rounded up."""

from collections.abc import Iterable
from decimal import ROUND_FLOOR, Decimal
from typing import Final

from webapp.ledger.money import EXACT

Figure = Decimal | None
HALF: Final = Decimal("0.5")
ONE: Final = Decimal(1)
HUNDRED: Final = Decimal(100)
MOST_DECIMALS: Final = 2


def whole(figure: Decimal) -> Decimal:
    """Round to a whole number, halves upwards.

    >>> whole(Decimal("0.5")), whole(Decimal("-0.5")), whole(Decimal("-1.5"))
    (Decimal('1'), Decimal('0'), Decimal('-1'))
    """
    return EXACT.add(figure, HALF).to_integral_value(ROUND_FLOOR) + 0


def cents(figure: Figure) -> Figure:
    """Round to two decimals, halves upwards.

    >>> cents(Decimal("10.005")), cents(Decimal("-10.005"))
    (Decimal('10.01'), Decimal('-10'))
    """
    return None if figure is None else EXACT.divide(whole(EXACT.multiply(figure, HUNDRED)), HUNDRED)


def equal(first: Figure, second: Figure) -> bool:
    """Return whether two figures are there and equal."""
    return first is not None and second is not None and first == second


def add(*figures: Figure) -> Figure:
    """Add figures; None if any is missing."""
    total = Decimal(0)
    for figure in figures:
        if figure is None:
            return None
        total = EXACT.add(total, figure)
    return total


def minus(figure: Figure) -> Figure:
    """Negate a figure."""
    return None if figure is None else -figure


def sum_of(figures: Iterable[Figure]) -> Decimal:
    """Add the figures that are there."""
    total = Decimal(0)
    for figure in figures:
        if figure is not None:
            total = EXACT.add(total, figure)
    return total


def within_one(first: Figure, second: Decimal, *, or_equal: bool = False) -> bool:
    """Return whether two figures differ by at most 1.00."""
    if first is None:
        return False
    difference = abs(EXACT.subtract(first, second))
    return difference <= ONE if or_equal else difference < ONE


def within_one_as_double(first: Figure, second: Decimal) -> bool:
    """Compare as the official rule does, which adds 1 to a binary fraction before it makes a decimal.

    >>> within_one_as_double(Decimal("12.78"), Decimal("11.78")), within_one_as_double(Decimal("101"), Decimal(100))
    (True, False)
    """
    if first is None:
        return False
    return Decimal(float(first) - 1) < second < Decimal(float(first) + 1)


def has_few_decimals(figure: Figure) -> bool:
    """Return whether a figure is written with at most two decimals, zeros counted.

    >>> has_few_decimals(Decimal("1.50")), has_few_decimals(Decimal("1.500")), has_few_decimals(None)
    (True, False, True)
    """
    exponent = 0 if figure is None else figure.as_tuple().exponent
    return isinstance(exponent, int) and -exponent <= MOST_DECIMALS


def shown(figure: Figure) -> str:
    """Write a figure in a sentence, with all its digits."""
    return "nothing" if figure is None else f"{figure:f}"
