"""A bank line on its way into the books."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class NewLine:
    """A new bank line; `line_key` and `occurrence` are its identity among lines of files.

    One that `is_joined` is only another report of an existing line: it is stored without a draft, as REMOVED.
    """

    provider_transaction_id: str | None
    booked_on: date
    value_on: date | None
    amount_minor: int
    description: str
    counterparty: str | None
    reference: str | None
    iban: str | None
    line_key: str | None
    occurrence: int
    is_pending: bool
    is_joined: bool = False

    @property
    def state(self) -> str:
        """The status that the line is stored with; only a BOOKED one has a draft."""
        if self.is_joined:
            return "REMOVED"
        return "PENDING" if self.is_pending else "BOOKED"
