"""Parts of settlements: their amount of an open item, and their share in the base currency."""

from webapp.ledger.money import divided


def base_share(item: tuple[int, int], settled: tuple[int, int], part_minor: int) -> int:
    """Return a part's share of its item in the base currency, in minor units.

    `item` is the item in its currency and in the base, `settled` the same of standing settlements. The
    part that closes the item takes the rest. No share has the other sign or exceeds the rest, which the
    formula alone would not hold after a settlement in the middle is undone.

    >>> base_share((110000, 100000), (0, 0), 50000), base_share((110000, 100000), (50000, 45455), 60000)
    (45455, 54545)
    >>> base_share((3, 2), (1, 1), 1), base_share((4, 2), (1, 1), 1), base_share((9, 1), (1, 1), 1)
    (0, 0, 0)
    """
    (amount, base), (settled_amount, settled_base) = item, settled
    after = settled_amount + part_minor
    if after == amount:
        return base - settled_base
    share, left = divided(base * after, amount) - settled_base, base - settled_base
    return max(0, min(share, left)) if base >= 0 else min(0, max(share, left))


def carries(item: tuple[int, int], settled: tuple[int, int]) -> bool:
    """Return whether an item still covers its settled parts, in its currency and in the base.

    >>> carries((100, 100), (60, 60)), carries((50, 50), (60, 60)), carries((-100, -100), (60, 60))
    (True, False, False)
    """
    (amount, base), (settled_amount, settled_base) = item, settled
    if settled_amount == amount and amount:
        return settled_base == base
    return _is_within(settled_amount, amount) and _is_within(settled_base, base)


def _is_within(part: int, whole: int) -> bool:
    return min(0, whole) <= part <= max(0, whole)
