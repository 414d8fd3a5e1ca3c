"""The general ledger: every posting of a period under its account, with the running balance.

Where a financial year begins within the period, an account has a line for what is carried, before the postings of
that day. Such lines are computed and stand in no table: a page merges them with the rows that it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.dimensions import EVERYTHING, DimensionSelection
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import Account, JournalEntry, Posting, RegisterLine, refers_to
from webapp.queries.access import organizations
from webapp.queries.accounts.accounts import BY_CODE
from webapp.queries.common.paging import Order, Page, page_of_rows
from webapp.queries.common.selections import postings_of
from webapp.queries.reports.books import DAY, ReportAccount, ReportBooks

ORDER = Order(
    (*BY_CODE.columns, RegisterLine.day, RegisterLine.journal_entry_id, RegisterLine.posting_id),  # type: ignore[arg-type]
    ascends=True,
)
# What the parts of a key are, for cursors: see web/paging.py.
KEY = "isidii"
CARRY, CARRIED = "carry", "Result carried to the new financial year"
# What earlier years left on personal accounts has no id, and stands behind every account.
NO_ID, BEHIND_ALL = 0, (2, "", 0)
# Entry and posting of a carry's key, so that it comes first on its day; where account and day stand in a key.
BEFORE_POSTINGS = (0, 0)
ID_OF_KEY, DAY_OF_KEY = 2, 3
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A posting under its account; `balance_base` is the account's balance in the base currency after it.

    A line without an entry is what is carried as a financial year begins.
    """

    account_id: int | None
    account_code: str | None
    account_name: str
    journal_entry_id: int | None
    entry_number: int | None
    effective_at: date
    description: str
    source: str
    amount: Money
    currency: str
    amount_base: Money
    balance_base: Money
    project_id: int | None = None
    org_merchant_id: int | None = None

    @property
    def brought_forward(self) -> Money:
        """The account's balance in the base currency before this posting."""
        return self.balance_base - self.amount_base


def listed(
    organization_id: str,
    period: Period,
    *,
    account_id: int | None = None,
    selection: DimensionSelection = EVERYTHING,
    after: Key | None,
    limit: int,
) -> Page[LedgerLine]:
    """List the postings of a period by account, day and entry, with the running balance of the account.

    Of selected postings, the balance is theirs too.
    """
    statement = _rows(organization_id, period, selection)
    if account_id is not None:
        statement = statement.where(RegisterLine.account_id == account_id)
    found = page_of_rows(statement, ORDER, after=after, limit=limit)
    read: list[Key] = [tuple(row[1:]) for row in found.items]
    starts = organizations.financial_years(organization_id).starts_within(period)
    eves = [period.eve, *(start - DAY for start in starts), *(key[DAY_OF_KEY] - DAY for key in read[:1])]
    books = ReportBooks(organization_id, eves, selection)
    carried = _carried(organization_id, books, period, account_id)
    keys = _merged(books, read, carried, after, found.next_key)
    is_last = found.next_key is None and len(keys) <= limit
    lines = _lines(books, period, keys[:limit], carried)
    return Page(lines, None if is_last else keys[limit - 1], found.whole, beside=len(carried))


def _rows(organization_id: str, period: Period, selection: DimensionSelection) -> sa.Select[Any]:
    rows = (
        sa.select(RegisterLine.posting_id)
        .join(Account, refers_to(RegisterLine.account_id, Account))
        .where(
            RegisterLine.organization_id == organization_id,
            RegisterLine.day.between(period.first, period.last),
        )
    )
    return _selected(rows, organization_id, selection) if selection else rows


def _selected(rows: sa.Select[Any], organization_id: str, selection: DimensionSelection) -> sa.Select[Any]:
    """Leave the lines of selected postings; with their whole keys, so that they are found from the postings."""
    return (
        rows.join(Posting, refers_to(RegisterLine.posting_id, Posting))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            RegisterLine.account_id == Posting.account_id,
            RegisterLine.day == JournalEntry.effective_on,
            RegisterLine.journal_entry_id == JournalEntry.id,
            *postings_of(organization_id, selection),
        )
    )


def _carried(
    organization_id: str, books: ReportBooks, period: Period, account_id: int | None
) -> dict[Key, int]:
    """Give what is carried of or to accounts within a period, by the place of its line."""
    carries = books.carries(period)
    if not carries:
        return {}
    rows = db.session.execute(sa.select(*BY_CODE.columns).where(Account.organization_id == organization_id))
    places = {row[-1]: tuple(row) for row in rows} | {None: BEHIND_ALL}
    return {
        (*places[each], day, *BEFORE_POSTINGS): minor
        for day, amounts in carries.items()
        for each, minor in amounts.items()
        if minor and account_id in (None, each)
    }


def _merged(
    books: ReportBooks, read: Sequence[Key], carried: Mapping[Key, int], after: Key | None, last: Key | None
) -> list[Key]:
    """Put the carries that lie after a key, and not behind the last row that was read, among the rows.

    Accounts are compared by their place in the chart, for the database has its own order of texts.
    """
    ranks = {each.id or NO_ID: rank for rank, each in enumerate(books.accounts)}

    def place(key: Key) -> Key:
        return (ranks.get(key[ID_OF_KEY], -1), *key[DAY_OF_KEY:])

    within = [
        key
        for key in carried
        if (after is None or place(after) < place(key)) and (last is None or place(key) < place(last))
    ]
    return sorted([*read, *within], key=place) if within else list(read)


def _lines(
    books: ReportBooks, period: Period, keys: Sequence[Key], carried: Mapping[Key, int]
) -> list[LedgerLine]:
    """Give the lines at some keys; only the first account may go on from an earlier page."""
    postings = _postings(books.organization_id, [key[-1] for key in keys if key not in carried])
    accounts = {each.id or NO_ID: each for each in books.accounts}
    opening = books.opening(period.first)
    running = {each: opening[each or None] for each in {key[ID_OF_KEY] for key in keys}}
    lines = []
    for number, key in enumerate(keys):
        account, posting = accounts[key[ID_OF_KEY]], postings.get(key[-1])
        if number == 0:
            running[account.id or NO_ID] = _before(books, key, is_carry=posting is None)
        running[account.id or NO_ID] += carried[key] if posting is None else posting.amount_base_minor
        balance = Money(running[account.id or NO_ID], books.base)
        lines.append(
            _carry(account, key[DAY_OF_KEY], Money(carried[key], books.base), balance)
            if posting is None
            else _line(account, posting, balance)
        )
    return lines


def _postings(organization_id: str, posting_ids: Sequence[int]) -> dict[int, Any]:
    rows = db.session.execute(
        sa.select(
            Posting.id,
            Posting.journal_entry_id,
            JournalEntry.effective_on,
            JournalEntry.description,
            JournalEntry.source,
            JournalEntry.number,
            Posting.amount_minor,
            Posting.currency,
            Posting.amount_base_minor,
            Posting.base_currency,
            Posting.project_id,
            Posting.org_merchant_id,
        )
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(Posting.organization_id == organization_id, Posting.id.in_(posting_ids))
    )
    return {row.id: row for row in rows}


def _before(books: ReportBooks, key: Key, *, is_carry: bool) -> int:
    """Give the balance of an account before the line at a key: before a carry, that of the year which ends."""
    account_id, day, entry_id, posting_id = key[ID_OF_KEY:]
    if is_carry:
        return books.closing(day - DAY)[account_id or None]
    earlier_that_day = db.session.scalar(
        sa.select(sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0))
        .select_from(RegisterLine)
        .join(Posting, refers_to(RegisterLine.posting_id, Posting))
        .where(
            RegisterLine.organization_id == books.organization_id,
            RegisterLine.account_id == account_id,
            RegisterLine.day == day,
            sa.tuple_(RegisterLine.journal_entry_id, RegisterLine.posting_id)
            < sa.tuple_(sa.literal(entry_id), sa.literal(posting_id)),
            *postings_of(books.organization_id, books.selection),
        )
    )
    return books.opening(day)[account_id] + int(earlier_that_day or 0)


def _carry(account: ReportAccount, day: date, carried: Money, balance: Money) -> LedgerLine:
    return LedgerLine(
        account_id=account.id,
        account_code=account.code,
        account_name=account.name,
        journal_entry_id=None,
        entry_number=None,
        effective_at=day,
        description=CARRIED,
        source=CARRY,
        amount=carried,
        currency=carried.currency,
        amount_base=carried,
        balance_base=balance,
    )


def _line(account: ReportAccount, posting: Any, balance: Money) -> LedgerLine:
    return LedgerLine(
        account_id=account.id,
        account_code=account.code,
        account_name=account.name,
        journal_entry_id=posting.journal_entry_id,
        entry_number=posting.number,
        effective_at=posting.effective_on,
        description=posting.description,
        source=posting.source,
        amount=Money(posting.amount_minor, posting.currency),
        currency=posting.currency,
        amount_base=Money(posting.amount_base_minor, posting.base_currency),
        balance_base=balance,
        project_id=posting.project_id,
        org_merchant_id=posting.org_merchant_id,
    )
