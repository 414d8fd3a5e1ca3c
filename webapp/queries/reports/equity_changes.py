"""What moved equity in a period, by account; credits are above zero.

The results of all years, as far as nothing was put to anything, stand on retained earnings, personal ones in
a row of their own. So no carry of a year moves anything, and the total is the equity of the balance sheet.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns
from webapp.models import COUNTING, JournalEntry, Posting, of_same_organization, refers_to
from webapp.queries.reports.books import ReportAccount, ReportBooks
from webapp.queries.reports.cash_flows import is_cash
from webapp.queries.reports.statements import AccountLine, facts_of

PERSONAL = ReportAccount(None, None, "Personal accounts", AccountType.EQUITY.value, in_scope=False)
TOTAL = ReportAccount(None, None, "Equity", AccountType.EQUITY.value, in_scope=True)


@dataclass(frozen=True, slots=True)
class EquityLine(AccountLine):
    """An account of equity, from its opening to its closing."""

    opening: Money
    result: Money
    contributions: Money
    drawings: Money
    appropriation: Money
    other: Money
    closing: Money


@dataclass(frozen=True, slots=True)
class ChangesInEquity:
    """All accounts of equity that have anything, and what they come to."""

    base_currency: str
    columns: ReportColumns
    lines: list[EquityLine]
    total: EquityLine


def changes_in_equity(organization_id: str, columns: ReportColumns) -> ChangesInEquity:
    """Give what moved equity in a period."""
    period = columns.period
    books = ReportBooks(organization_id, [period.eve, period.last])
    moves = _moves(organization_id, books, period)
    rows: list[tuple[ReportAccount, list[int]]] = []
    for account in books.accounts:
        if account.id is not None and account.type == AccountType.EQUITY:
            is_retained = account.id == books.retained_id
            result = _results(books, period, in_scope=True) if is_retained else (0, 0)
            ends = [-books.sums[day].get(account.id, 0) for day in (period.eve, period.last)]
            rows.append((account, _figures(ends, result, moves[account.id])))
    rows.append((PERSONAL, _figures([0, 0], _results(books, period, in_scope=False), Counter())))
    lines = [_line(account, minors, books.base) for account, minors in rows if any(minors)]
    total = [sum(each) for each in zip(*(minors for _, minors in rows), strict=True)]
    return ChangesInEquity(books.base, columns, lines, _line(TOTAL, total, books.base))


def _results(books: ReportBooks, period: Period, *, in_scope: bool) -> tuple[int, int]:
    """Add up the results of all years up to a period and up to its end."""
    of = [each.id or 0 for each in books.accounts if each.is_of_result and each.in_scope is in_scope]
    before, after = (-sum(books.sums[day].get(each, 0) for each in of) for day in (period.eve, period.last))
    return before, after


def _figures(ends: list[int], results: tuple[int, int], moves: Counter[str]) -> list[int]:
    opening, closing = (end + result for end, result in zip(ends, results, strict=True))
    moved = [results[1] - results[0], moves["contributions"], moves["drawings"], moves["appropriation"]]
    return [opening, *moved, closing - opening - sum(moved), closing]


def _line(account: ReportAccount, minors: list[int], base: str) -> EquityLine:
    return EquityLine(*facts_of(account), *(Money(minor, base) for minor in minors))


def _moves(organization_id: str, books: ReportBooks, period: Period) -> dict[int | None, Counter[str]]:
    """Add up what moves equity in money, and what results are put to, by account."""
    other = sa.orm.aliased(Posting)
    cash = [each.id for each in books.accounts if each.id is not None and is_cash(each)]
    equity = [each.id for each in books.accounts if each.id is not None and each.type == AccountType.EQUITY]
    is_in_money = sa.exists().where(
        of_same_organization(other, JournalEntry),
        other.journal_entry_id == JournalEntry.id,
        other.account_id.in_(cash),
    )
    rows: Any = db.session.execute(
        sa.select(Posting.account_id, Posting.amount_base_minor, JournalEntry.appropriates_on, is_in_money)
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            Posting.account_id.in_(equity),
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on.between(period.first, period.last),
        )
    )
    moves: dict[int | None, Counter[str]] = defaultdict(Counter)
    for account_id, minor, appropriates_on, in_money in rows:
        if appropriates_on is not None:
            moves[account_id]["appropriation"] -= minor or 0
        elif in_money:
            moves[account_id]["contributions" if minor < 0 else "drawings"] -= minor
    return moves
