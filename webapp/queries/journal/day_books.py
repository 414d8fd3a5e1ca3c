"""The day book: every leg of a period by day and entry, with the accounts on its other side and its document."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import COUNTING, Account, Document, JournalEntry, Posting, refers_to
from webapp.queries.common.paging import Order, Page, page_of_rows

ORDER: Final = Order((JournalEntry.effective_on, JournalEntry.id, Posting.id), ascends=True)  # type: ignore[arg-type]
LINES_AT_ONCE: Final = 5_000
# What both sides come to may be beyond 64 bits, and is added up in two parts.
PART: Final = 10**9


@dataclass(frozen=True, slots=True)
class DayBookLine:
    """A leg, with the names of the accounts on its other side."""

    journal_entry_id: int
    entry_number: int
    effective_at: date
    description: str
    source: str
    document_id: int | None
    document_number: str | None
    account_id: int
    account_code: str | None
    account_name: str
    contra: Sequence[str]
    amount: Money
    currency: str
    base: Money

    @property
    def debit(self) -> Money | None:
        """What it is in the base currency, where it is a debit."""
        return self.base if self.base.minor > 0 else None

    @property
    def credit(self) -> Money | None:
        """What it is in the base currency, where it is a credit, without its sign."""
        return -self.base if self.base.minor < 0 else None


def listed(
    organization_id: str, period: Period, *, after: tuple[Any, ...] | None, limit: int
) -> Page[DayBookLine]:
    """List the legs of a period by day, entry and place."""
    statement = _of_period(
        sa.select(
            JournalEntry.number,
            JournalEntry.description,
            JournalEntry.source,
            JournalEntry.document_id,
            Document.number.label("document_number"),
            Posting.account_id,
            Account.code,
            Account.name,
            Posting.amount_minor,
            Posting.currency,
            Posting.amount_base_minor,
            Posting.base_currency,
        )
        .join_from(Posting, JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .outerjoin(Document, refers_to(JournalEntry.document_id, Document)),
        organization_id,
        period,
    )
    found = page_of_rows(statement, ORDER, after=after, limit=limit)
    rows: Sequence[Any] = found.items
    sides = _sides(organization_id, {row[-2] for row in rows})
    return found.of([_line(row, sides[row[-2]]) for row in rows])


def totals(organization_id: str, period: Period, base: str) -> tuple[Money, Money]:
    """Add up the debits and the credits of a period."""
    amount = Posting.amount_base_minor
    sides = (sa.case((amount > 0, amount), else_=0), sa.case((amount < 0, -amount), else_=0))
    parts = [sa.func.sum(part) for side in sides for part in (side // PART, side % PART)]
    of_period = sa.select(*parts).join_from(
        Posting, JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry)
    )
    debits, rest, credits_, rest_of_credits = (
        int(each or 0) for each in db.session.execute(_of_period(of_period, organization_id, period)).one()
    )
    return Money(debits * PART + rest, base), Money(credits_ * PART + rest_of_credits, base)


def every(organization_id: str, period: Period) -> Iterator[DayBookLine]:
    """Read all legs of a period, a portion at a time."""
    after: tuple[Any, ...] | None = None
    while True:
        page = listed(organization_id, period, after=after, limit=LINES_AT_ONCE)
        yield from page.items
        after = page.next_key
        if after is None:
            return


def _of_period(statement: Any, organization_id: str, period: Period) -> Any:
    return statement.where(
        JournalEntry.organization_id == organization_id,
        Posting.organization_id == organization_id,
        JournalEntry.status.in_(COUNTING),
        JournalEntry.effective_on.between(period.first, period.last),
    )


def _sides(organization_id: str, ids: set[int]) -> dict[int, list[tuple[bool, str]]]:
    """Give the names of the accounts of entries, each with whether it is debited."""
    found: dict[int, list[tuple[bool, str]]] = defaultdict(list)
    rows = db.session.execute(
        sa.select(Posting.journal_entry_id, Posting.amount_base_minor, Account.name)
        .join(Account, refers_to(Posting.account_id, Account))
        .where(Posting.organization_id == organization_id, Posting.journal_entry_id.in_(ids))
        .order_by(Posting.id)
    )
    for entry_id, minor, name in rows:
        found[entry_id].append(((minor or 0) > 0, name))
    return found


def _line(row: Any, sides: Sequence[tuple[bool, str]]) -> DayBookLine:
    base = Money(int(row.amount_base_minor or 0), row.base_currency)
    contra = dict.fromkeys(name for is_debit, name in sides if is_debit is not (base.minor > 0))
    return DayBookLine(
        row[-2],
        row.number,
        row[-3],
        row.description,
        row.source,
        row.document_id,
        row.document_number,
        row.account_id,
        row.code,
        row.name,
        tuple(contra),
        Money(row.amount_minor, row.currency),
        row.currency,
        base,
    )
