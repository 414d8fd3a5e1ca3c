"""Income and expenses without a tax code, since the books have taxes."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy import orm

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money
from webapp.models import Account, JournalEntry, Posting, Transaction, refers_to
from webapp.queries.access import organizations
from webapp.queries.common.paging import Order, Page, page_of_rows
from webapp.queries.tax import packs

# What a code is for, by its side.
TYPES: Final = {"SALE": AccountType.INCOME, "PURCHASE": AccountType.EXPENSE}
# Sources of entries that take codes; what releases or closes has none.
SOURCES: Final = ("bank_feed", "document", "manual")
_ORIGINAL: Final = orm.aliased(JournalEntry)
_LEG: Final = orm.aliased(Posting)
OLDEST: Final = Order((JournalEntry.effective_on, Posting.id), ascends=True)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class UncodedPosting:
    """A posting of income or expenses without a tax code; with a bank line where it is of one."""

    id: int
    journal_entry_id: int
    effective_on: date
    description: str
    account_id: int
    account_name: str
    transaction_id: int | None
    amount_base: Money


def listed(
    organization_id: str, *, side: str | None = None, after: tuple[Any, ...] | None, limit: int
) -> Page[UncodedPosting]:
    """List what is posted without a code since the first day with boxes, the oldest first; none without a pack."""
    starts = [each.starts_on for each in packs.all_installed(organization_id)]
    left = _of_corrected(organization_id, sa.func.sum(_LEG.amount_base_minor))
    columns: list[Any] = [
        Posting.id,
        JournalEntry.id,
        JournalEntry.effective_on,
        JournalEntry.description,
        Account.id,
        Account.name,
        Transaction.id,
        sa.case((_is_corrected(organization_id), left), else_=Posting.amount_base_minor),
    ]
    line = sa.and_(
        Transaction.organization_id == organization_id, Transaction.journal_entry_id == _ORIGINAL.id
    )
    statement = (
        _without_code(sa.select(*columns), organization_id, [TYPES[side]] if side else TYPES.values())
        .outerjoin(Transaction, line)
        .where(JournalEntry.effective_on >= min(starts, default=date.max))
    )
    base = organizations.base_currency(organization_id)
    found = page_of_rows(statement, OLDEST, after=after, limit=limit)
    return found.of([_of_row(row, base) for row in found.items])


def _of_row(row: sa.Row[Any], base: str) -> UncodedPosting:
    number, entry, day, description, account, name, line, minor = row[: len(UncodedPosting.__slots__)]
    return UncodedPosting(number, entry, day, description, account, name, line, Money(minor or 0, base))


def entries(organization_id: str, side: str, first: date, last: date) -> Sequence[int]:
    """List the entries from a day to another one that have income or expenses without a code."""
    statement = _without_code(sa.select(_ORIGINAL.id), organization_id, [TYPES[side]])
    within = JournalEntry.effective_on.between(first, last)
    return db.session.scalars(statement.where(within).distinct().order_by(_ORIGINAL.id)).all()


def _without_code(statement: sa.Select[Any], organization_id: str, types: Any) -> sa.Select[Any]:
    """Select postings without a code, of accounts of some types, in entries that stand.

    Of an account of a corrected entry it is the newest one alone, and none where nothing is left.
    """
    of_original = _ORIGINAL.id == sa.func.coalesce(JournalEntry.corrects_id, JournalEntry.id)
    is_newest = Posting.id == _of_corrected(organization_id, sa.func.max(_LEG.id))
    is_left = _of_corrected(organization_id, sa.func.sum(_LEG.amount_base_minor)) != 0
    return (
        statement.select_from(JournalEntry)
        .join(_ORIGINAL, sa.and_(_ORIGINAL.organization_id == organization_id, of_original))
        .join(Posting, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            JournalEntry.organization_id == organization_id,
            JournalEntry.status == "POSTED",
            JournalEntry.source.in_((*SOURCES, "correction")),
            _ORIGINAL.status == "POSTED",
            _ORIGINAL.source.in_(SOURCES),
            ~_ORIGINAL.is_closing,
            Account.type.in_([*types]),
            Account.role.is_(None),
            Posting.tax_code_id.is_(None),
            sa.or_(~_is_corrected(organization_id), sa.and_(is_left, is_newest)),
        )
    )


def _is_corrected(organization_id: str) -> sa.ColumnElement[bool]:
    correction = orm.aliased(JournalEntry)
    return sa.exists().where(
        correction.organization_id == organization_id,
        correction.corrects_id == _ORIGINAL.id,
        correction.status == "POSTED",
    )


def _of_corrected(organization_id: str, figure: sa.ColumnElement[Any]) -> sa.ScalarSelect[Any]:
    """Give a figure of what an entry and its corrections have on the account of a posting without a code."""
    one = orm.aliased(JournalEntry)
    return (
        sa.select(figure)
        .join(one, refers_to(_LEG.journal_entry_id, one))
        .where(
            one.organization_id == organization_id,
            sa.or_(one.id == _ORIGINAL.id, one.corrects_id == _ORIGINAL.id),
            one.status == "POSTED",
            _LEG.organization_id == organization_id,
            _LEG.account_id == Posting.account_id,
            _LEG.tax_code_id.is_(None),
        )
        .correlate(_ORIGINAL, Posting)
        .scalar_subquery()
    )
