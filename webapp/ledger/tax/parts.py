"""Parts of items: what of an item's base and tax belongs to what was paid, deducted or credited of it."""

from collections.abc import Mapping

from webapp.ledger.money import bounded, divided

Figures = Mapping[str, int]


def part_of(whole: int, gross: int, settled: int, had: int) -> int:
    """Return what one more part has of a base or tax, `settled` being all parts of its kind with this one.

    Shares are cumulative, so that the parts add up to the whole whatever their number.

    >>> [part_of(20000, 120000, settled, had) for settled, had in ((40000, 0), (80000, 6667), (120000, 13333))]
    [6667, 6666, 6667]
    >>> part_of(20000, 200000 - 40000, 160000, 0), part_of(500, 0, 0, 500)
    (20000, -500)
    """
    return bounded((divided(whole * settled, gross) if gross else 0) - had)


def parts_of(wholes: Figures, gross: int, settled: int, had: Figures) -> dict[str, int]:
    """Return what one more part has of each base and tax of an item.

    >>> parts_of({"S20 tax": 1000, "S5 tax": 250}, 17750, 6666, {"S20 tax": 100})
    {'S20 tax': 276, 'S5 tax': 94}
    """
    return {name: part_of(whole, gross, settled, had.get(name, 0)) for name, whole in wholes.items()}
