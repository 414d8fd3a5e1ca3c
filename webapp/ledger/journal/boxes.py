"""Boxes of tax forms, and what postings add to them."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final, NamedTuple

from webapp.ledger.money import bounded

# No form: the base and the tax that an item has of a code, on a leg of that code, for what is settled of it.
OF_ITEM: Final = "item"
BASE, TAX = "base", "tax"


class BoxAmount(NamedTuple):
    """What a posting adds to a box of a form, in minor units of the base currency."""

    form: str
    box: str
    amount_minor: int


Boxes = tuple[BoxAmount, ...]


class BoxShare(NamedTuple):
    """A box of a form, and the factor by which the base or the tax enters it."""

    form: str
    box: str
    factor: Decimal


def summed(boxes: Iterable[tuple[str, str, int]]) -> Boxes:
    """Add up amounts per box of a form, and leave out what comes to nothing.

    >>> summed([BoxAmount("f", "2", 5), BoxAmount("f", "1", 3), BoxAmount("f", "2", -5)])
    (BoxAmount(form='f', box='1', amount_minor=3),)
    """
    sums: dict[tuple[str, str], int] = {}
    for form, box, amount_minor in boxes:
        key = form, box
        sums[key] = sums.get(key, 0) + amount_minor
    return tuple(
        [
            BoxAmount(form, box, bounded(amount_minor))
            for (form, box), amount_minor in sorted(sums.items())
            if amount_minor
        ]
    )


def stored(boxes: Boxes) -> list[list[Any]] | None:
    """Return boxes as a posting keeps them."""
    return [[*each] for each in boxes] or None


def negated(boxes: Boxes) -> Boxes:
    """Return the boxes of what takes a posting back."""
    return tuple(each._replace(amount_minor=-each.amount_minor) for each in boxes)


def of_boxes(boxes: Iterable[BoxAmount], form: str) -> dict[str, int]:
    """Add up the amounts of one form per box."""
    return {each.box: each.amount_minor for each in summed(boxes) if each.form == form}
