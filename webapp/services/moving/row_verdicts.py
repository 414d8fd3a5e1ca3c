"""What a row of a table that moves books in became, and how it is told."""

from dataclasses import dataclass
from datetime import date

from webapp.ledger.money import Money
from webapp.models import Account
from webapp.queries.common.records import record_of


@dataclass(slots=True)
class MovedRow:
    """A row of a table, or without a number an account that the books have and the table has not.

    The verdict is NEW, ALREADY_THERE for an account that the books have, COMPARED for a balance that other rows or
    banks bring, or REFUSED with the problem. `booked` is what the books have of a balance once the table is taken.
    """

    row: int | None
    verdict: str = "NEW"
    account: Account | None = None
    text: str = ""
    amount: Money | None = None
    day: date | None = None
    booked: Money | None = None
    problem: str | None = None
    entry_id: int | None = None

    @property
    def difference(self) -> Money | None:
        """What the table has more than the books."""
        if self.booked is None or self.amount is None:
            return None
        return Money(self.amount.minor - self.booked.minor, self.booked.currency)

    def refuse(self, problem: object) -> None:
        """Say what stands against the row."""
        self.verdict, self.problem = "REFUSED", str(problem)


@dataclass(frozen=True, slots=True)
class MovedRowRecord:
    """A row as it is told; what a preview would make has no id."""

    row: int | None
    verdict: str
    text: str
    account_id: int | None
    account_code: str | None
    account_name: str | None
    account_type: str | None
    amount: Money | None
    day: date | None
    booked: Money | None
    difference: Money | None
    problem: str | None
    entry_id: int | None


def record(row: MovedRow, *, is_trial: bool) -> MovedRowRecord:
    """Tell a row, of a trial without the ids that it takes back."""
    account = row.account
    is_made = is_trial and row.verdict == "NEW"
    return record_of(
        MovedRowRecord,
        row,
        account_id=None if account is None or (is_made and row.amount is None) else account.id,
        account_code=account and account.code,
        account_name=account and account.name,
        account_type=account and account.type,
        entry_id=None if is_trial else row.entry_id,
    )
