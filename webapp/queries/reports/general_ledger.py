"""The general ledger: every posting of a period under its account, with the running balance.

Where a financial year begins within the period, an account has a line for what is carried, before the postings of
that day. Grouped by project, group or merchant, each part of an account has a balance of its own, and begins with a
line for what it brought forward, so that the parts of an account add up to it. Such lines are computed and stand in no
table: a page merges them with the rows that it reads.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.dimensions import EVERYTHING, Dimension, DimensionSelection, MergedMerchants, counting
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.models import COUNTING, Account, JournalEntry, Posting, RegisterLine, refers_to
from webapp.queries.access import organizations
from webapp.queries.common import merchants
from webapp.queries.common.paging import Page, page_of_rows
from webapp.queries.common.selections import postings_of
from webapp.queries.reports.books import DAY, Part, ReportAccount, ReportBooks
from webapp.queries.reports.closings import RESULT_TYPES
from webapp.queries.reports.ledger_books import LedgerBooks
from webapp.queries.reports.ledger_order import DAY as DAY_OF_KEY
from webapp.queries.reports.ledger_order import Key, LedgerOrder


@dataclass(frozen=True, slots=True)
class LedgerPart:
    """The project, group or merchant that a line belongs to; without an id none."""

    id: int | None
    name: str | None


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """A posting under its account; `balance_base` is the balance in the base currency after it, of account or part.

    A line without an entry is what is carried as a financial year begins, or what a part brought forward.
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
    part: LedgerPart | None = None

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
    by: Dimension | None = None,
    after: Key | None,
    limit: int,
) -> Page[LedgerLine]:
    """List the postings of a period by account, part, day and entry, with the running balance of account or part.

    Of selected postings, the balance is theirs too.
    """
    order = LedgerOrder(organization_id, by)
    statement = _rows(order, period, selection)
    if account_id is not None:
        statement = statement.where(RegisterLine.account_id == account_id)
    found = page_of_rows(statement, order.columns, after=after, limit=limit)
    read: list[Key] = [tuple(row[1:]) for row in found.items]
    books = ReportBooks(organization_id, _days(organization_id, period, read, by), selection, by)
    ledger = LedgerBooks(order, books, period)
    computed = ledger.carried(account_id) | ledger.closed(account_id)
    if by is not None:
        carried = {order.section(key).account_id for key in computed}
        posted = {each for each in _posted(organization_id, period, selection) if account_id in (None, each)}
        computed |= ledger.forward(carried | posted)
    keys = ledger.merged(read, computed, after, found.next_key)
    is_last = found.next_key is None and len(keys) <= limit
    lines = _lines(ledger, keys[:limit], computed)
    return Page(lines, None if is_last else keys[limit - 1], found.whole, beside=len(computed))


def _posted(organization_id: str, period: Period, selection: DimensionSelection) -> set[int]:
    """Give the accounts that anything selected is posted to in a period: by the register, or else from the postings."""
    days = (period.first, period.last)
    if not selection:
        of_register = sa.select(RegisterLine.account_id).where(
            RegisterLine.organization_id == organization_id, RegisterLine.day.between(*days)
        )
        return set(db.session.scalars(of_register.distinct()))
    of_postings = (
        sa.select(Posting.account_id)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on.between(*days),
            *postings_of(organization_id, selection),
        )
    )
    return set(db.session.scalars(of_postings.distinct()))


def _days(organization_id: str, period: Period, read: Sequence[Key], by: Dimension | None) -> list[date]:
    """Give the days whose balances a page needs; with the last one, all parts of the period are there."""
    starts = organizations.financial_years(organization_id).starts_within(period)
    eves = [period.eve, *(start - DAY for start in starts), *(key[DAY_OF_KEY] - DAY for key in read[:1])]
    return eves if by is None else [*eves, period.last]


def _rows(order: LedgerOrder, period: Period, selection: DimensionSelection) -> sa.Select[Any]:
    rows = (
        sa.select(RegisterLine.posting_id)
        .join(Account, refers_to(RegisterLine.account_id, Account))
        .where(
            RegisterLine.organization_id == order.organization_id,
            RegisterLine.day.between(period.first, period.last),
            _is_shown(order.organization_id),
        )
    )
    if selection:
        rows = _selected(rows, order.organization_id, selection)
    elif order.by is not None:
        rows = rows.join(Posting, refers_to(RegisterLine.posting_id, Posting))
    return order.joined(rows)


def _is_shown(organization_id: str) -> sa.ColumnElement[bool]:
    """Leave out what closing entries post to income and expenses: that is a line of retained earnings."""
    closing = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.is_closing
    )
    is_of_result = Account.type.in_(RESULT_TYPES)
    return sa.not_(sa.and_(is_of_result, RegisterLine.journal_entry_id.in_(closing)))


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


def _lines(ledger: LedgerBooks, keys: Sequence[Key], computed: Mapping[Key, int]) -> list[LedgerLine]:
    """Give the lines at some keys; only the first section may go on from an earlier page."""
    postings = _postings(ledger.books.organization_id, [key[-1] for key in keys if key not in computed])
    accounts = {each.id: each for each in ledger.books.accounts}
    parts = {part.id: part for part in ledger.sections()}
    sections = [ledger.order.section(key) for key in keys]
    running = ledger.openings(set(sections))
    merged = merchants.merged(ledger.books.organization_id) if postings else {}
    lines: list[LedgerLine] = []
    for key, section in zip(keys, sections, strict=True):
        account, part, posting = accounts[section.account_id], parts[section.part_id], postings.get(key[-1])
        if not lines:
            before = ledger.before_computed if posting is None else partial(_before, ledger)
            running[section] = before(part, key)
        moved = Money(computed[key] if posting is None else posting.amount_base_minor, ledger.books.base)
        running[section] += moved.minor
        balance = Money(running[section], moved.currency)
        lines.append(
            _computed(account, key[DAY_OF_KEY], ledger.text(key), moved, balance)
            if posting is None
            else _line(account, posting, balance, merged)
        )
        if ledger.order.by is not None:
            lines[-1] = replace(lines[-1], part=LedgerPart(part.id, part.name))
    return lines


def _postings(organization_id: str, posting_ids: Sequence[int]) -> dict[int, sa.Row[Any]]:
    """Read postings with what they show of their entries."""
    columns: list[Any] = [
        Posting.id,
        Posting.journal_entry_id,
        Posting.amount_minor,
        Posting.currency,
        Posting.amount_base_minor,
        Posting.base_currency,
        Posting.project_id,
        Posting.org_merchant_id,
        JournalEntry.effective_on,
        JournalEntry.description,
        JournalEntry.source,
        JournalEntry.is_closing,
        JournalEntry.number,
    ]
    rows = db.session.execute(
        sa.select(*columns)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(Posting.organization_id == organization_id, Posting.id.in_(posting_ids))
    )
    return {row.id: row for row in rows}


def _before(ledger: LedgerBooks, part: Part, key: Key) -> int:
    """Give the balance of a section before a posting: as its day begins, and with what comes before it that day."""
    section, (day, entry_id, posting_id) = ledger.order.section(key), key[DAY_OF_KEY:]
    organization_id = ledger.books.organization_id
    earlier_that_day = db.session.scalar(
        sa.select(sa.func.coalesce(sa.func.sum(Posting.amount_base_minor), 0))
        .select_from(RegisterLine)
        .join(Posting, refers_to(RegisterLine.posting_id, Posting))
        .where(
            RegisterLine.organization_id == organization_id,
            RegisterLine.account_id == section.account_id,
            RegisterLine.day == day,
            sa.tuple_(RegisterLine.journal_entry_id, RegisterLine.posting_id)
            < sa.tuple_(sa.literal(entry_id), sa.literal(posting_id)),
            sa.not_(Posting.id.in_([leg.posting_id for leg in ledger.books.closings if leg.is_of_result])),
            *postings_of(organization_id, ledger.books.selection),
            *ledger.order.of_part(section.part_id),
        )
    )
    closed = ledger.closed(section.account_id).get(ledger.order.key(section, day), 0)
    return part.books.opening(day)[section.account_id] + int(earlier_that_day or 0) + closed


def _computed(
    account: ReportAccount, day: date, text: tuple[str, str], moved: Money, balance: Money
) -> LedgerLine:
    source, description = text
    return LedgerLine(
        account_id=account.id,
        account_code=account.code,
        account_name=account.name,
        journal_entry_id=None,
        entry_number=None,
        effective_at=day,
        description=description,
        source=source,
        amount=moved,
        currency=moved.currency,
        amount_base=moved,
        balance_base=balance,
    )


def _line(
    account: ReportAccount, posting: sa.Row[Any], balance: Money, merged: MergedMerchants
) -> LedgerLine:
    return LedgerLine(
        account_id=account.id,
        account_code=account.code,
        account_name=account.name,
        journal_entry_id=posting.journal_entry_id,
        entry_number=posting.number,
        effective_at=posting.effective_on,
        description=posting.description,
        source="closing" if posting.is_closing and posting.source == "manual" else posting.source,
        amount=Money(posting.amount_minor, posting.currency),
        currency=posting.currency,
        amount_base=Money(posting.amount_base_minor, posting.base_currency),
        balance_base=balance,
        project_id=posting.project_id,
        org_merchant_id=counting(posting.org_merchant_id, merged),
    )
