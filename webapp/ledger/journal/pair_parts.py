"""The transfer part of a line, and the counter legs of two lines that become one."""

from collections.abc import Sequence
from dataclasses import replace

from webapp.ledger.journal.entries import Leg


def part_of(counter: Sequence[Leg], amount_minor: int, transfers_id: int) -> int:
    """Return the transfer part of a line: of a split the part on the transfers account, else the whole.

    >>> split = [Leg(1, 9850, "EUR"), Leg(7, 150, "EUR")]
    >>> part_of(split, -10000, 1), part_of([Leg(7, 10000, "EUR")], -10000, 1)
    (-9850, -10000)
    """
    on_transfers = sum(leg.amount_minor for leg in counter if leg.account_id == transfers_id)
    return -on_transfers if len(counter) > 1 and on_transfers else amount_minor


def paired_legs(
    counter: Sequence[Leg], amount_minor: int, part_minor: int, transfers_id: int, rest: Leg | None = None
) -> list[Leg]:
    """Return the counter legs of a line with `part_minor` as a transfer; `rest` is the leg of a named difference.

    A split keeps its other legs; a single account is replaced.

    >>> whole = [Leg(9, 10000, "EUR")]
    >>> [(leg.account_id, leg.amount_minor) for leg in paired_legs(whole, -10000, -9850, 1, Leg(7, 150, "EUR"))]
    [(1, 9850), (7, 150)]
    """
    currency = rest.currency if rest is not None else counter[0].currency
    is_split = part_of(counter, amount_minor, transfers_id) != amount_minor
    first = next((leg for leg in counter if leg.account_id == transfers_id), Leg(transfers_id, 0, currency))
    moved = replace(
        first, amount_minor=-part_minor, currency=currency, amount_base_minor=None, transaction_id=None
    )
    others = [leg for leg in counter if leg.account_id != transfers_id] if is_split else []
    return [moved, *others, *([] if rest is None else [rest])]
