"""The bank lines of the demo's accounts, each with the booking that a bookkeeper would choose."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal


@dataclass(frozen=True, slots=True)
class Booking:
    """The booking of a line: an account by its code, and a project by its name; the merchant is the line's party."""

    code: str
    project: str | None = None


@dataclass(frozen=True, slots=True)
class DemoLine:
    """One bank line, in minor units from the account holder's view."""

    reference: str
    day: date
    amount_minor: int
    party: str
    memo: str
    booking: Booking
    is_pending: bool = False


@dataclass(frozen=True, slots=True)
class BankAccount:
    """An account at a bank: what it held before its first line, and all its lines, oldest first."""

    name: str
    number: str
    currency: str
    kind: Literal["BANK", "CARD"]
    bank: str
    opening_minor: int
    lines: tuple[DemoLine, ...]

    def booked(self, first: date, last: date) -> tuple[DemoLine, ...]:
        """List the booked lines of a period, both days included."""
        return tuple(line for line in self.lines if not line.is_pending and first <= line.day <= last)

    @property
    def pending(self) -> tuple[DemoLine, ...]:
        """List what the bank has yet to book."""
        return tuple(line for line in self.lines if line.is_pending)

    def balance_minor(self, day: date) -> int:
        """Give the bank's balance of the account at the close of a day."""
        return self.opening_minor + sum(line.amount_minor for line in self.booked(date.min, day))
