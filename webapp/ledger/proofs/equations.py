"""The equations of a proof: outstanding items, items in transit, and whether books and statement agree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final, Literal

from webapp.ledger.proofs.proofs import Item, ordered

BOOKED: Final = "BOOKED"


class PostingState(StrEnum):
    """The state of a posting on the bank's ledger account in respect of a statement."""

    OPEN = "OPEN"  # an item that neither this statement nor an earlier standing proof cleared
    CLEARED = "CLEARED"  # of an item cleared here or in an earlier standing proof
    SET_ASIDE = "SET_ASIDE"  # of a line that keep-as-new set aside
    ABSORBED = "ABSORBED"  # no item: the opening entry, what it absorbed, or a line that the bank took back


@dataclass(frozen=True, slots=True)
class BankPosting:
    """A POSTED or VOIDED posting on the bank's ledger account; a reversal is known by `cancelled_on` alone.

    `entry_date` is the day in the books, which a lock may have moved from the line's own day in `item`.
    """

    item: Item
    entry_date: date
    state: PostingState
    cancelled_on: date | None = None


def outstanding(postings: Iterable[BankPosting], statement_date: date) -> tuple[Item, ...]:
    """List what the books have by the statement's day and the statement does not.

    A voided posting is no item, but between its own day and its reversal's the books still have it.
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
    """List what the statement counts and the books date after it, because a lock moved it."""
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
    """Give by how much the books exceed the statement: 0 where ledger - outstanding + in transit equals it.

    >>> day = date(2026, 10, 31)
    >>> books_differ(90000, [Item(None, 4, None, day, -10000)], [Item(7, 9, None, day, 500)], 100500)
    0
    """
    expected = ledger_balance_minor - _total(outstanding) + _total(in_transit)
    return expected - statement_balance_minor


@dataclass(frozen=True, slots=True)
class ItemToday:
    """The current state of a frozen item: its day and amount, whether an entry of it is posted, its line's status."""

    booked_on: date
    amount_minor: int
    is_posted: bool
    line_status: str | None = None


BreachField = Literal["bookedOn", "amount", "entryStatus", "lineStatus", "arrival", "books"]


@dataclass(frozen=True, slots=True)
class Breach:
    """One reason why a proof no longer holds: which item, what about it, what it was and is.

    Amounts are minor units; a breach of `books` names no item and has their difference.
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
    """List every reason why a proof does not hold today; it holds where there is none.

    `frozen` are its cleared lines, `today` what they are now by their key; `arrivals` the lines and outside
    postings, other than set-aside ones, that came since and are dated at or before the statement;
    `differ_minor` what `books_differ` gives for today's books. Which entry carries a line does not matter.
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
