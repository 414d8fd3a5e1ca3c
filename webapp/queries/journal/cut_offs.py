"""The cut-off of a day: the entries in force that are about it or a day before, and dated after it."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.journal.entries import moved_by
from webapp.ledger.money import Money
from webapp.ledger.warnings import ReportWarning
from webapp.models import Account, Document, JournalEntry, Posting, Schedule, refers_to
from webapp.queries.access import organizations
from webapp.queries.common.portions import portions

_BASE = Posting.amount_base_minor


@dataclass(frozen=True, slots=True)
class CutOffRow:
    """An entry in the books after the day that it is about: what it moves, and what the result of that day lacks.

    `accrued_by` is the entry by which that result has it all the same.
    """

    journal_entry_id: int
    number: int
    description: str
    fact_on: date
    effective_on: date
    amount: Money
    result: Money
    moved_by_lock: bool
    accrued_by: int | None


@dataclass(frozen=True, slots=True)
class LateDocument:
    """A document of a later day whose supply was in the period, with its entry, if it has one after the period."""

    document_id: int
    label: str
    supplied_on: date
    issued_on: date
    amount: Money | None
    journal_entry_id: int | None
    accrued_by: int | None


@dataclass(frozen=True, slots=True)
class CutOffSum:
    """How many entries, and what they move together."""

    count: int
    sum: Money


@dataclass(frozen=True, slots=True)
class CutOff:
    """The cut-off of a day, and those of its entries that are about the period which ends there.

    `result` is what the result of that day lacks, without what is accrued. `to_accrue` are later documents of supplies
    in the period.
    """

    count: int
    sum: Money
    result: Money
    of_this_period: CutOffSum
    rows: Sequence[CutOffRow]
    to_accrue: Sequence[LateDocument] = ()


def of_period(organization_id: str, first: date, last: date, *, after: int = 0) -> CutOff:
    """List the cut-off of a period's last day, by the day that entries are about; of entries after a number."""
    base = organizations.base_currency(organization_id)
    found = _rows(organization_id, last)
    by_entry = accruals(organization_id, [row.id for row in found], last)
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
            by_entry.get(row.id),
        )
        for row in found
        if row.number > after
    ]
    of_period = [each for each in rows if each.fact_on >= first]
    return CutOff(
        len(rows),
        _sum((each.amount for each in rows), base),
        _sum((each.result for each in rows if each.accrued_by is None), base),
        CutOffSum(len(of_period), _sum((each.amount for each in of_period), base)),
        rows,
    )


def supplied(organization_id: str, first: date, last: date) -> list[LateDocument]:
    """List the documents issued after a period of what was supplied in it, and that are in no entry up to its end."""
    supplied_on = Document.invoice["supplied_on"].as_string()
    rows: Any = db.session.execute(
        sa.select(Document, sa.func.min(JournalEntry.effective_on), sa.func.min(JournalEntry.id))
        .outerjoin(
            JournalEntry,
            sa.and_(refers_to(JournalEntry.document_id, Document), JournalEntry.status == "POSTED"),
        )
        .where(
            Document.organization_id == organization_id,
            Document.issued_on > last,
            supplied_on.between(first.isoformat(), last.isoformat()),
        )
        .options(sa.orm.defer(Document.text))
        .group_by(Document.organization_id, Document.id)
        .order_by(Document.id)
    )
    found = [(each, entry_id) for each, booked_on, entry_id in rows if booked_on is None or booked_on > last]
    by_entry = accruals(organization_id, [entry_id for _, entry_id in found if entry_id], last)
    return [
        LateDocument(
            each.id,
            each.label,
            date.fromisoformat(each.invoice["supplied_on"]),
            each.issued_on,
            each.total,
            entry_id,
            by_entry.get(entry_id),
        )
        for each, entry_id in found
    ]


def accruals(organization_id: str, entry_ids: Collection[int], day: date) -> dict[int, int]:
    """Give by entry the posted one of a day or earlier that accrues it."""
    accrual = sa.orm.aliased(JournalEntry)
    found: dict[int, int] = {}
    for portion in portions(entry_ids):
        rows: Any = db.session.execute(
            sa.select(Schedule.accrues_entry_id, accrual.id)
            .join(accrual, refers_to(Schedule.origin_entry_id, accrual))
            .where(
                Schedule.organization_id == organization_id,
                Schedule.accrues_entry_id.in_(portion),
                accrual.status == "POSTED",
                accrual.effective_on <= day,
            )
        ).all()
        found |= dict(rows)
    return found


def last_account(organization_id: str) -> int | None:
    """Find the account of the balance sheet that the newest accrual took."""
    return db.session.scalar(
        sa.select(Posting.account_id)
        .join(Account, refers_to(Posting.account_id, Account))
        .join(
            Schedule,
            sa.and_(
                Schedule.organization_id == Posting.organization_id,
                Schedule.origin_entry_id == Posting.journal_entry_id,
            ),
        )
        .where(
            Posting.organization_id == organization_id,
            Schedule.accrues_entry_id.is_not(None),
            Account.type.not_in((AccountType.INCOME, AccountType.EXPENSE)),
        )
        .order_by(Schedule.id.desc())
        .limit(1)
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
        .group_by(*columns)
        .order_by(JournalEntry.effective_on, JournalEntry.id)
    ).all()
