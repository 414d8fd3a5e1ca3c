"""What reaches a return late: postings with a tax point before its period, by item and period."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final, NamedTuple

from webapp.ledger.journal.boxes import Boxes, of_boxes, summed

LATE_CLAIM, NO_ERROR, ERROR = "LATE_CLAIM", "NO_ERROR", "ERROR"
LATE_KINDS: Final = (LATE_CLAIM, NO_ERROR, ERROR)
# Why boxes are adjusted by hand; those of schemes are of the return after what they adjust.
SCHEME_REASONS: Final = ("PARTIAL_EXEMPTION", "CAPITAL_GOODS", "PRE_REGISTRATION")
ADJUSTMENT_REASONS: Final = ("PRIVATE_USE", "FUEL_SCALE", *SCHEME_REASONS, "OTHER")


class LatePosting(NamedTuple):
    """A boxed posting of an earlier period.

    `error_of` is the end of the period whose return it makes wrong, `received_on` when the document of a purchase
    came. With `is_own_day` the law gives it a day of its own, so that it makes no return wrong.
    """

    item: str
    tax_point: date
    period_end: date
    boxes: Boxes
    error_of: date
    received_on: date | None = None
    is_own_day: bool = False
    posting_id: int = 0


@dataclass(frozen=True, slots=True)
class LateRow:
    """What an item adds late to a return, of one period: its boxes, and as what."""

    item: str
    tax_point: date
    late_as: str
    boxes: Boxes
    error_of: date | None = None
    posting_ids: tuple[int, ...] = ()


def late_rows(postings: Iterable[LatePosting], claims: str) -> list[LateRow]:
    """Group late postings by item, kind and period; those of an item and period that come to nothing have no row.

    `claims` is the box that a purchase raises: one of which the document came after its period is claimed late.

    >>> from webapp.ledger.journal.boxes import BoxAmount
    >>> spring = date(2026, 3, 31)
    >>> sale = LatePosting("INV-1", date(2026, 3, 30), spring, (BoxAmount("f", "1", 200),), spring)
    >>> bill = LatePosting("B-2", date(2026, 3, 9), spring, (BoxAmount("f", "4", 90),), spring, date(2026, 4, 2))
    >>> undone = sale._replace(boxes=(BoxAmount("f", "1", -200),))
    >>> [(row.item, row.late_as) for row in late_rows([sale, bill], "4")], late_rows([sale, undone], "4")
    ([('B-2', 'LATE_CLAIM'), ('INV-1', 'ERROR')], [])
    """
    of_item: dict[tuple[str, date], list[LatePosting]] = {}
    for each in postings:
        of_item.setdefault((each.item, each.period_end), []).append(each)
    rows: list[LateRow] = []
    for (item, _), group in of_item.items():
        if not _boxes(group):
            continue
        kinds: dict[tuple[str, date | None], list[LatePosting]] = {}
        for each in group:
            late_as = _late_as(each, group, claims)
            kinds.setdefault((late_as, each.error_of if late_as == ERROR else None), []).append(each)
        rows += [
            LateRow(
                item,
                min(each.tax_point for each in found),
                late_as,
                boxes,
                error_of,
                tuple(each.posting_id for each in found),
            )
            for (late_as, error_of), found in kinds.items()
            if (boxes := _boxes(found))
        ]
    return sorted(rows, key=lambda row: (row.tax_point, row.item, row.late_as))


def sums_of(rows: Iterable[LateRow], late_as: str, form: str) -> Mapping[str, int]:
    """Add up the boxes of a form in rows of a kind."""
    return of_boxes((box for row in rows if row.late_as == late_as for box in row.boxes), form)


def _late_as(posting: LatePosting, group: Iterable[LatePosting], claims: str) -> str:
    if posting.is_own_day:
        return NO_ERROR
    came_later = posting.received_on is not None and posting.received_on > posting.period_end
    raises = sum(box.amount_minor for each in group for box in each.boxes if box.box == claims) > 0
    is_first = posting.error_of == posting.period_end
    return LATE_CLAIM if came_later and raises and is_first else ERROR


def _boxes(postings: Iterable[LatePosting]) -> Boxes:
    return summed(box for each in postings for box in each.boxes)
