"""The cut-off of a day: the entries in force that are about it or a day before, and dated after it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.journal.entries import moved_by
from webapp.ledger.money import Money
from webapp.ledger.warnings import ReportWarning
from webapp.models import Account, JournalEntry, Posting, refers_to
from webapp.queries.access import organizations

_BASE = Posting.amount_base_minor


@dataclass(frozen=True, slots=True)
class CutOffRow:
    """An entry in the books after the day that it is about: what it moves, and what the result of that day lacks."""

    journal_entry_id: int
    number: int
    description: str
    fact_on: date
    effective_on: date
    amount: Money
    result: Money
    moved_by_lock: bool


@dataclass(frozen=True, slots=True)
class CutOffSum:
    """How many entries, and what they move together."""

    count: int
    sum: Money


@dataclass(frozen=True, slots=True)
class CutOff:
    """The cut-off of a day, and those of its entries that are about the period which ends there."""

    count: int
    sum: Money
    result: Money
    of_this_period: CutOffSum
    rows: Sequence[CutOffRow]


def of_period(organization_id: str, first: date, last: date, *, after: int = 0) -> CutOff:
    """List the cut-off of a period's last day, by the day that entries are about; of entries after a number."""
    base = organizations.base_currency(organization_id)
    rows = [
        CutOffRow(
            row.id,
            row.number,
            row.description,
            row.fact_on,
            row.effective_on,
            Money(moved_by(int(row.bank), int(row.owed), -int(row.result), int(row.debit)), base),
            Money(-int(row.result), base),
            row.is_moved,
        )
        for row in _rows(organization_id, last)
        if row.number > after
    ]
    of_period = [each for each in rows if each.fact_on >= first]
    return CutOff(
        len(rows),
        _sum((each.amount for each in rows), base),
        _sum((each.result for each in rows), base),
        CutOffSum(len(of_period), _sum((each.amount for each in of_period), base)),
        rows,
    )


def warning(organization_id: str, day: date) -> ReportWarning | None:
    """Say of a locked day's reports how many entries are about it or a day before, and in the books after it."""
    lock_date = organizations.get(organization_id).lock_date
    if lock_date is None or day > lock_date:
        return None
    found = of_period(organization_id, day, day)
    if not found.count:
        return None
    entries = "1 entry" if found.count == 1 else f"{found.count:,} entries"
    is_are = "is" if found.count == 1 else "are"
    sentence = (
        f"{entries} over {found.sum.formatted} {is_are} about days up to {day:%-d %b %Y},"
        " and in the books after it."
    )
    return ReportWarning("cut_off", sentence, as_of=day, count=found.count, sum=found.sum)


def _sum(amounts: Iterable[Money], base: str) -> Money:
    return Money(sum(each.minor for each in amounts), base)


def _rows(organization_id: str, day: date) -> Sequence[Any]:
    """Add up by entry what it has on banks, on what is owed, in debit, and on income and expenses of the business."""
    is_of_result = sa.and_(
        Account.type.in_((AccountType.INCOME, AccountType.EXPENSE)),
        Account.in_scope,
        sa.not_(JournalEntry.is_closing),
    )

    def added(condition: Any) -> sa.ColumnElement[int]:
        return sa.func.coalesce(sa.func.sum(sa.case((condition, _BASE), else_=0)), 0)

    columns: list[Any] = [
        JournalEntry.id,
        JournalEntry.number,
        JournalEntry.description,
        JournalEntry.fact_on,
        JournalEntry.effective_on,
        JournalEntry.is_moved,
    ]
    return db.session.execute(
        sa.select(
            *columns,
            added(Posting.is_bank_leg).label("bank"),
            added(sa.and_(Account.keeps_items, sa.not_(Posting.is_bank_leg))).label("owed"),
            added(_BASE > 0).label("debit"),
            added(is_of_result).label("result"),
        )
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "POSTED",
            JournalEntry.fact_on <= day,
            JournalEntry.effective_on > day,
        )
        # Grouped as the index of facts is ordered; by the id alone, SQLite goes through all entries.
        .group_by(JournalEntry.effective_on, *(each for each in columns if each.key != "effective_on"))
        .order_by(JournalEntry.effective_on, JournalEntry.id)
    ).all()
