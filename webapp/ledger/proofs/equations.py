"""The equations of a proof: outstanding items, items in transit, and whether books and statement agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, Literal

from webapp.ledger.proofs.proofs import Item, ordered

BOOKED: Final = "BOOKED"


class PostingState(StrEnum):
    """The state of a posting on the bank's ledger account for a statement."""

    OPEN = "OPEN"  # an item that neither this statement nor an earlier standing proof cleared
    CLEARED = "CLEARED"  # of an item cleared here or in an earlier standing proof
    SET_ASIDE = "SET_ASIDE"  # of a line that keep-as-new set aside
    ABSORBED = "ABSORBED"  # no item: the opening entry, what it absorbed, or a line that the bank took back


@dataclass(frozen=True, slots=True)
class BankPosting:
    """A POSTED or VOIDED posting on the bank's ledger account; only `cancelled_on` shows a reversal.

    `entry_date` is the day in the books; a lock may have moved it from the line's own day in `item`.
    """

    item: Item
    entry_date: date
    state: PostingState
    cancelled_on: date | None = None


def outstanding(postings: Iterable[BankPosting], statement_date: date) -> tuple[Item, ...]:
    """List the postings by the statement's day that the statement lacks.

    A voided posting is no item, except between its own day and its reversal's.
    """
    return ordered(
        posting.item
        for posting in postings
        if posting.entry_date <= statement_date
        and (
            posting.state is PostingState.OPEN
            if posting.cancelled_on is None
            else posting.cancelled_on > statement_date and posting.state is not PostingState.ABSORBED
        )
    )


def in_transit(postings: Iterable[BankPosting], statement_date: date) -> tuple[Item, ...]:
    """List the items of the statement that a lock moved to a later day in the books."""
    return ordered(
        posting.item
        for posting in postings
        if posting.entry_date > statement_date
        and posting.cancelled_on is None
        and posting.state in {PostingState.CLEARED, PostingState.SET_ASIDE}
    )


def books_differ(
    ledger_balance_minor: int,
    outstanding: Iterable[Item],
    in_transit: Iterable[Item],
    statement_balance_minor: int,
) -> int:
    """Return how much the books exceed the statement: 0 if ledger - outstanding + in transit equals it.

    >>> day = date(2026, 10, 31)
    >>> books_differ(90000, [Item(None, 4, None, day, -10000)], [Item(7, 9, None, day, 500)], 100500)
    0
    """
    expected = ledger_balance_minor - _total(outstanding) + _total(in_transit)
    return expected - statement_balance_minor


@dataclass(frozen=True, slots=True)
class ItemToday:
    """The current state of a frozen item: day, amount, whether its entry is posted, and its line's status."""

    booked_on: date
    amount_minor: int
    is_posted: bool
    line_status: str | None = None


BreachField = Literal["bookedOn", "amount", "entryStatus", "lineStatus", "arrival", "books"]


@dataclass(frozen=True, slots=True)
class Breach:
    """One reason why a proof no longer holds: the item, the field, and its value before and now.

    Amounts are minor units; a breach of `books` names no item and has the difference of the books.
    """

    field: BreachField
    item: Item | None
    before: object
    after: object


def breaches(
    frozen: Sequence[Item],
    today: Mapping[tuple[str, int | None], ItemToday],
    *,
    arrivals: Iterable[Item],
    differ_minor: int,
) -> list[Breach]:
    """List every reason why a proof does not hold today; without reasons it holds.

    `frozen` are its cleared lines, `today` what they are now by their key; `arrivals` the lines and outside
    postings, other than set-aside ones, that came since and are dated at or before the statement;
    `differ_minor` is the result of `books_differ` for today's books. The entry of a line does not matter.
    """
    found = [breach for item in frozen for breach in _item_breaches(item, today.get(item.key))]
    found += [Breach("arrival", item, None, item.amount_minor) for item in ordered(arrivals)]
    if differ_minor:
        found.append(Breach("books", None, 0, differ_minor))
    return found


def _item_breaches(item: Item, now: ItemToday | None) -> list[Breach]:
    if now is None or not now.is_posted:
        return [Breach("entryStatus", item, "POSTED", None)]
    if now.line_status not in (None, BOOKED):
        return [Breach("lineStatus", item, BOOKED, now.line_status)]
    found = []
    if now.booked_on != item.booked_on:
        found.append(Breach("bookedOn", item, item.booked_on, now.booked_on))
    if now.amount_minor != item.amount_minor:
        found.append(Breach("amount", item, item.amount_minor, now.amount_minor))
    return found


def _total(items: Iterable[Item]) -> int:
    return sum(item.amount_minor for item in items)
