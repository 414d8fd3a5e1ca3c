"""Open items from a payment's view: the candidates for it, offsets by hand, and shortfalls."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from webapp.ledger.money import Money
from webapp.ledger.texts import remittances

BEFORE: Final = timedelta(days=45)
AFTER: Final = timedelta(days=10)


@dataclass(frozen=True, slots=True)
class PayableItem:
    """An open item from a payment's view: `amount` is the open rest, debit above zero."""

    id: int
    amount: Money
    party_id: int | None
    day: date
    due_on: date
    number: str | None = None
    remittance: str | None = None
    batch: str | None = None

    @property
    def label(self) -> str:
        """The name of the item for people."""
        return self.number or f"the item of {self.amount.formatted}"


@dataclass(frozen=True, slots=True)
class BankPayment:
    """A bank line that may pay items, with the bank's amount, money in above zero."""

    amount: Money
    party_id: int | None
    day: date
    text: str


class Nameable(Protocol):
    """An item that a text may name."""

    @property
    def id(self) -> int: ...  # noqa: D102
    @property
    def number(self) -> str | None: ...  # noqa: D102
    @property
    def remittance(self) -> str | None: ...  # noqa: D102


Named = TypeVar("Named", bound=Nameable)


class NumberedItems(Generic[Named]):
    """Items by the numbers that a text may name them with: a text is looked up and never compared with each."""

    def __init__(self, items: Iterable[Named]) -> None:
        self._by_number: defaultdict[str, list[Named]] = defaultdict(list)
        for item in items:
            for number in {remittances.compacted(item.number), remittances.compacted(item.remittance)} - {""}:
                self._by_number[number].append(item)
                if number[0] == "0":
                    self._by_number[number.lstrip("0")].append(item)
        self._longest = max(map(len, self._by_number), default=0)

    def possible(self, text: str) -> list[Named]:
        """List the items that a text may name; `remittances` decides."""
        keys = remittances.spans(text, self._longest)
        for reference in remittances.creditor_references(text):
            keys |= {reference, reference[4:].lstrip("0")}
        found = {item.id: item for key in keys for item in self._by_number.get(key, ())}
        return list(found.values())


def candidates_of(payment: BankPayment, items: Sequence[PayableItem]) -> list[PayableItem]:
    """Choose the items that a payment may settle, the oldest first.

    They are the payer's in the payment's currency, or for an unknown payer those of the same side, from 45 days
    before to 10 days after.
    """
    same = [each for each in items if each.amount.currency == payment.amount.currency]
    if payment.party_id is not None:
        found = [each for each in same if each.party_id == payment.party_id]
    else:
        first, last = payment.day - BEFORE, payment.day + AFTER
        found = [
            each
            for each in same
            if (each.amount.minor > 0) == (payment.amount.minor > 0)
            and (first <= each.day <= last or first <= each.due_on <= last)
        ]
    return sorted(found, key=lambda each: (each.due_on, each.day, each.id))


def offsets(open_minor: Sequence[int]) -> list[int]:
    """Return the settled amounts of the items, which add up to nothing; the first items are settled first.

    >>> offsets([10000, 2500, -12000])
    [10000, 2000, -12000]
    >>> offsets([10000, -4000, -6000]), offsets([10000, 500])
    ([10000, -4000, -6000], [0, 0])
    """
    owed = sum(each for each in open_minor if each > 0)
    paid = -sum(each for each in open_minor if each < 0)
    left = {True: min(owed, paid), False: min(owed, paid)}
    taken = []
    for each in open_minor:
        is_owed = each > 0
        amount = min(abs(each), left[is_owed])
        left[is_owed] -= amount
        taken.append(amount if is_owed else -amount)
    return taken


class ShortAs(StrEnum):
    """The kind of a shortfall; an open rest is no part of the settlement."""

    LEAVE_OPEN = "LEAVE_OPEN"
    DISCOUNT = "DISCOUNT"
    WRITE_OFF = "WRITE_OFF"
    FEE = "FEE"


SHORTFALL_NAMES: Final[Mapping[str, str]] = {
    ShortAs.DISCOUNT: "Discount",
    ShortAs.WRITE_OFF: "Write-off",
    ShortAs.FEE: "Bank's fee",
}
