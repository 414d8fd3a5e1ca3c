"""The general ledger: every posting of a period under its account, with the running balance."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import Account, JournalEntry, Posting, RegisterLine, refers_to
from webapp.queries.accounts import balances
from webapp.queries.accounts.accounts import BY_CODE
from webapp.queries.common.paging import Order, Page, page

ORDER = Order(
    (*BY_CODE.columns, RegisterLine.day, RegisterLine.journal_entry_id, RegisterLine.posting_id),  # type: ignore[arg-type]
    ascends=True,
)
# What the parts of a key are, for cursors: see web/paging.py.
KEY = "isidii"


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A posting under its account; `balance_base` is the account's balance in the base currency after it."""

    account_id: int
    account_code: str | None
    account_name: str
    journal_entry_id: int
    effective_at: date
    description: str
    source: str
    amount: Money
    currency: str
    amount_base: Money
    balance_base: Money

    @property
    def brought_forward(self) -> Money:
        """The account's balance in the base currency before this posting."""
        return self.balance_base - self.amount_base


def listed(
    organization_id: str,
    period: Period,
    *,
    account_id: int | None = None,
    after: tuple[Any, ...] | None,
    limit: int,
) -> Page[LedgerLine]:
    """List the postings of a period by account, day and entry, with the running balance of the account."""
    statement = _rows(organization_id, period)
    if account_id is not None:
        statement = statement.where(RegisterLine.account_id == account_id)
    found = page(statement, ORDER, after=after, limit=limit)
    rows = _postings(organization_id, found.items)
    if not rows:
        return found.of([])
    running = _openings(organization_id, period, rows)
    lines = []
    for row in rows:
        running[row.account_id] += row.amount_base_minor
        lines.append(_line(row, running[row.account_id]))
    return found.of(lines)


def _rows(organization_id: str, period: Period) -> sa.Select[Any]:
    return (
        sa.select(RegisterLine.posting_id)
        .join(Account, refers_to(RegisterLine.account_id, Account))
        .where(
            RegisterLine.organization_id == organization_id,
            RegisterLine.day.between(period.first, period.last),
        )
    )


def _postings(organization_id: str, posting_ids: Any) -> list[Any]:
    rows = db.session.execute(
        sa.select(
            Posting.id,
            Posting.account_id,
            Account.code,
            Account.name,
            Posting.journal_entry_id,
            JournalEntry.effective_on,
            JournalEntry.description,
            JournalEntry.source,
            Posting.amount_minor,
            Posting.currency,
            Posting.amount_base_minor,
            Posting.base_currency,
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(Posting.organization_id == organization_id, Posting.id.in_(posting_ids))
    )
    found = {row.id: row for row in rows}
    return [found[each] for each in posting_ids]


def _openings(organization_id: str, period: Period, rows: list[Any]) -> dict[int, int]:
    """Give each account's balance before its first row; only the first account may go on from an earlier page."""
    first = rows[0]
    ids = {row.account_id for row in rows}
    opened = balances.of_accounts(organization_id, ids - {first.account_id}, through=period.eve)
    running = {each: opened.get(each, balances.NOTHING).amount_base_minor for each in ids}
    running[first.account_id] = _before(organization_id, first)
    return running


def _before(organization_id: str, row: Any) -> int:
    eve = Period(row.effective_on, row.effective_on).eve
    opened = balances.of_accounts(organization_id, [row.account_id], through=eve)
    earlier_that_day = db.session.scalar(
        sa.select(sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0))
        .select_from(RegisterLine)
        .join(Posting, refers_to(RegisterLine.posting_id, Posting))
        .where(
            RegisterLine.organization_id == organization_id,
            RegisterLine.account_id == row.account_id,
            RegisterLine.day == row.effective_on,
            sa.tuple_(RegisterLine.journal_entry_id, RegisterLine.posting_id)
            < sa.tuple_(sa.literal(row.journal_entry_id), sa.literal(row.id)),
        )
    )
    return opened.get(row.account_id, balances.NOTHING).amount_base_minor + int(earlier_that_day or 0)


def _line(row: Any, balance_base_minor: int) -> LedgerLine:
    return LedgerLine(
        account_id=row.account_id,
        account_code=row.code,
        account_name=row.name,
        journal_entry_id=row.journal_entry_id,
        effective_at=row.effective_on,
        description=row.description,
        source=row.source,
        amount=Money(row.amount_minor, row.currency),
        currency=row.currency,
        amount_base=Money(row.amount_base_minor, row.base_currency),
        balance_base=Money(balance_base_minor, row.base_currency),
    )
