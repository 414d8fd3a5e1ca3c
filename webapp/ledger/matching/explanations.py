"""Whether an entry and a bank line describe the same money: the one predicate for all callers."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Final, NamedTuple

# A bank books a card sale a few days later, and on the next working day what was written before a holiday.
DAYS_APART: Final = timedelta(days=7)


class BankAmount(NamedTuple):
    """Money that moves on a bank account: debit above zero, in minor units, on a day."""

    account_id: int
    currency: str
    amount_minor: int
    day: date

    def tells_of(self, other: BankAmount) -> bool:
        """Return whether both describe the same money, by account, amount and day.

        >>> line = BankAmount(3, "EUR", 1000, date(2026, 3, 9))
        >>> [line.tells_of(line._replace(day=date(2026, 3, day))) for day in (1, 2, 16, 17)]
        [False, True, True, False]
        >>> line.tells_of(line._replace(amount_minor=-1000))
        False
        """
        return self[:-1] == other[:-1] and abs(self.day - other.day) <= DAYS_APART
