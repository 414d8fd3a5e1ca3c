"""Open items from a payment's view, and the candidates for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from webapp.ledger.money import Money

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
