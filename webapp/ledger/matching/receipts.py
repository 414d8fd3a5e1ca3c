"""Whether a document is the receipt of a payment: evidence in words beside an equal amount, never a score."""

import re
from dataclasses import dataclass
from datetime import date
from typing import Final

MOST_DAYS: Final = 60
SHORTEST_NUMBER: Final = 3
SHORTEST_NAME: Final = 4


@dataclass(frozen=True, slots=True)
class ReceiptFacts:
    """What a document states of its payment; each is None where it does not state it."""

    number: str | None
    sender: str | None
    issued_on: date | None


@dataclass(frozen=True, slots=True)
class ReceiptEvidence:
    """What speaks for a document of the same amount; `days_apart` is None where it states no day."""

    days_apart: int | None
    number: str | None
    sender: str | None

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """Order the evidence: the document's number, its sender, the days between."""
        days = MOST_DAYS + 1 if self.days_apart is None else self.days_apart
        return self.number is None, self.sender is None, days

    @property
    def reason(self) -> str:
        """The evidence in a sentence."""
        if self.days_apart is None:
            days = "no day on the document"
        else:
            days = {0: "same day", 1: "1 day apart"}.get(self.days_apart, f"{self.days_apart} days apart")
        named = [f"number {self.number}"] if self.number else []
        named += [self.sender] if self.sender else []
        return f"Same amount, {days}" + (f", names {' and '.join(named)}" if named else "")


def receipt_evidence(receipt: ReceiptFacts, paid_on: date, text: str) -> ReceiptEvidence:
    """Give the evidence for a document in a payment's day and text, where their amounts are equal.

    >>> paper = ReceiptFacts("RE-4711", "Paper Shop Ltd", date(2026, 3, 2))
    >>> receipt_evidence(paper, date(2026, 3, 5), "PAPER SHOP LTD re-4711").reason
    'Same amount, 3 days apart, names number RE-4711 and Paper Shop Ltd'
    >>> receipt_evidence(paper, date(2026, 3, 2), "Card payment RE-47110").reason
    'Same amount, same day'
    """
    days = None if receipt.issued_on is None else abs((paid_on - receipt.issued_on).days)
    number = _named(receipt.number, text, SHORTEST_NUMBER)
    return ReceiptEvidence(days, number, _named(receipt.sender, text, SHORTEST_NAME))


def _named(name: str | None, text: str, shortest: int) -> str | None:
    """Give a name that stands in a text as a whole, regardless of case."""
    if name is None or len(name) < shortest:
        return None
    whole = rf"(?<!\w){re.escape(name.casefold())}(?!\w)"
    return name if re.search(whole, text.casefold()) else None
