"""Warnings about odd outstanding items of a statement, which can be completed all the same."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final, Literal

from webapp.ledger.money import Money
from webapp.ledger.proofs.proofs import Item

Code = Literal["opening_twice", "old_items", "in_transit"]
CODES: Final[tuple[Code, ...]] = ("opening_twice", "old_items", "in_transit")
# The bank books what is real within this time: a cheque, a card payment, a transfer.
WEEKS: Final = 6


@dataclass(frozen=True, slots=True)
class CompletionWarning:
    """A warning before a statement is completed: a sentence and its items.

    `sum` is their total, `oldest_on` the day of the oldest.
    """

    code: Code
    message: str
    count: int
    sum: Money
    oldest_on: date
    items: tuple[Item, ...]


def warnings(
    outstanding: Sequence[Item],
    *,
    statement_date: date,
    openings: Collection[int],
    currency: str,
    in_transit: Sequence[Item] = (),
) -> list[CompletionWarning]:
    """Warn about outstanding items that equal an opening balance, about old ones, and about what the books have later.

    `openings` are the opening balances that the account's books may have twice, in minor units of `currency`.

    >>> items = [Item(None, 7, None, date(2026, 1, 1), 100000), Item(4, 9, "a", date(2026, 3, 30), -500)]
    >>> found = warnings(items, statement_date=date(2026, 3, 31), openings={100000}, currency="EUR")
    >>> [(each.code, each.count, str(each.sum)) for each in found]
    [('opening_twice', 1, '1000.00'), ('old_items', 1, '1000.00')]
    >>> warnings(items[1:], statement_date=date(2026, 3, 31), openings={100000}, currency="EUR")
    []
    """
    found = []
    twice = _equal(outstanding, {each for each in openings if each})
    if twice:
        found.append(_warning("opening_twice", twice, currency))
    old = [item for item in outstanding if item.booked_on < statement_date - timedelta(weeks=WEEKS)]
    if old:
        found.append(_warning("old_items", old, currency))
    if in_transit:
        found.append(_warning("in_transit", in_transit, currency))
    return found


def _equal(items: Sequence[Item], openings: Collection[int]) -> Sequence[Item]:
    """Find the items that equal an opening balance, or else all if their sum does."""
    equal = [item for item in items if item.amount_minor in openings]
    return equal or (items if sum(item.amount_minor for item in items) in openings else [])


def _warning(code: Code, items: Sequence[Item], currency: str) -> CompletionWarning:
    total = Money(sum(item.amount_minor for item in items), currency)
    oldest = min(item.booked_on for item in items)
    sentence = _SENTENCES[code][len(items) > 1].format(
        count=len(items), total=total.formatted, day=f"{oldest:%-d %b} {oldest.year}"
    )
    return CompletionWarning(code, sentence, len(items), total, oldest, tuple(items))


# Of each code the sentence for one item, and for several.
_SENTENCES: Final[dict[Code, tuple[str, str]]] = {
    "in_transit": (
        "{total} of {day} is on this statement and in the books after it: the balance sheet of its day is without it.",
        "{count} items over {total} together, the oldest of {day}, are on this statement and in the books after it.",
    ),
    "opening_twice": (
        (
            "An item of {day} that is on no statement is {total}, the same as the opening balance: the opening may be"
            " in the books twice. If it is, void this entry."
        ),
        (
            "{count} items that are on no statement come to {total}, the oldest of {day}. That is the opening balance,"
            " which may be in the books twice. If it is, void these entries."
        ),
    ),
    "old_items": (
        (
            f"An item of {{day}} over {{total}} is more than {WEEKS} weeks older than the statement, and no statement"
            " cleared it. Check that the bank will still book it."
        ),
        (
            f"{{count}} items over {{total}} together, the oldest of {{day}}, are more than {WEEKS} weeks older than"
            " the statement, and no statement cleared them. Check that the bank will still book them."
        ),
    ),
}
