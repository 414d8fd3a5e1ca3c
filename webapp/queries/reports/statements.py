"""Reports over a period, from kept sums: trial balance, profit and loss, balance sheet.

Amounts are in the base currency, debit positive, over POSTED and VOIDED entries; personal accounts
(`in_scope` false) are marked, and left out of nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Self

import sqlalchemy as sa

from webapp.db import db
from webapp.ledger.chart import AccountType
from webapp.ledger.money import Money, total
from webapp.ledger.periods import Period, year_to
from webapp.models import Account
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts, balances

RESULT_TYPES = (AccountType.INCOME, AccountType.EXPENSE)
SHEET_TYPES = (AccountType.ASSET, AccountType.LIABILITY, AccountType.EQUITY)


@dataclass(frozen=True, slots=True)
class ReportLine:
    """An account in a report: its amount of the period, and that of the period before."""

    account_id: int
    code: str | None
    name: str
    type: str
    in_scope: bool
    amount: Money
    before: Money


@dataclass(frozen=True, slots=True)
class TrialLine:
    """An account in a trial balance: opening and closing, and the closing on its side."""

    account_id: int
    code: str | None
    name: str
    type: str
    in_scope: bool
    opening: Money
    change: Money
    closing: Money

    @property
    def debit(self) -> Money | None:
        """The closing balance where it is a debit."""
        return self.closing if self.closing.minor > 0 else None

    @property
    def credit(self) -> Money | None:
        """The closing balance, without its sign, where it is a credit."""
        return -self.closing if self.closing.minor < 0 else None


@dataclass(frozen=True, slots=True)
class Sums:
    """Two figures that belong together: of the period, and of the one before."""

    amount: Money
    before: Money

    @classmethod
    def of(cls, lines: Sequence[ReportLine], base: str) -> Self:
        """Add up lines."""
        return cls(total((line.amount for line in lines), base), total((line.before for line in lines), base))


@dataclass(frozen=True, slots=True)
class TrialBalance:
    """All accounts with their balances; debits and credits are equal, or the books are broken."""

    base_currency: str
    period: Period
    lines: list[TrialLine]
    debit: Money
    credit: Money


@dataclass(frozen=True, slots=True)
class ProfitAndLoss:
    """Income and expenses of a period; the result is what the income exceeds the expenses by."""

    base_currency: str
    period: Period
    lines: list[ReportLine]
    income: Sums
    expenses: Sums
    result: Sums


@dataclass(frozen=True, slots=True)
class BalanceSheet:
    """What is owned, owed and left at the close of a period's last day; the result of the year is not closed."""

    base_currency: str
    period: Period
    lines: list[ReportLine]
    assets: Sums
    liabilities: Sums
    equity: Sums
    result_of_year: Sums
    earlier_results: Sums


def trial_balance(organization_id: str, period: Period) -> TrialBalance:
    """Give the opening, change and closing of every account that has any."""
    books = _Books(organization_id)
    openings, closings = books.through(period.eve), books.through(period.last)
    lines = [
        TrialLine(
            each.id,
            each.code,
            each.name,
            each.type,
            each.in_scope,
            openings[each.id],
            closings[each.id] - openings[each.id],
            closings[each.id],
        )
        for each in books.accounts
        if openings[each.id] or closings[each.id]
    ]
    base = books.base
    debit = total((line.debit for line in lines if line.debit), base)
    credit = total((line.credit for line in lines if line.credit), base)
    return TrialBalance(base, period, lines, debit, credit)


def profit_and_loss(organization_id: str, period: Period) -> ProfitAndLoss:
    """Give income and expenses of a period beside those of the one before; income is below zero, as a credit is."""
    books = _Books(organization_id)
    lines = books.changes(RESULT_TYPES, period)
    sums = Sums.of(lines, books.base)
    return ProfitAndLoss(
        books.base,
        period,
        lines,
        Sums.of(_of(lines, AccountType.INCOME), books.base),
        Sums.of(_of(lines, AccountType.EXPENSE), books.base),
        Sums(-sums.amount, -sums.before),
    )


def balance_sheet(organization_id: str, period: Period) -> BalanceSheet:
    """Give assets, liabilities and equity at the period's close, beside those at the close of the period before."""
    books = _Books(organization_id)
    now, then = books.through(period.last), books.through(period.eve)
    lines = books.lines(SHEET_TYPES, now, then)
    results = books.lines(RESULT_TYPES, now, then)
    year = Sums(books.result_of_year(period.last), books.result_of_year(period.eve))
    whole = Sums.of(results, books.base)
    return BalanceSheet(
        books.base,
        period,
        lines,
        Sums.of(_of(lines, AccountType.ASSET), books.base),
        Sums.of(_of(lines, AccountType.LIABILITY), books.base),
        Sums.of(_of(lines, AccountType.EQUITY), books.base),
        year,
        Sums(whole.amount - year.amount, whole.before - year.before),
    )


def _of(lines: Sequence[ReportLine], type_: AccountType) -> list[ReportLine]:
    return [line for line in lines if line.type == type_]


class _Books:
    """The accounts of an organization and their balances in the base currency at some days."""

    def __init__(self, organization_id: str) -> None:
        self._organization_id = organization_id
        self.base = organizations.get(organization_id).base_currency
        self.accounts = db.session.scalars(
            sa.select(Account)
            .where(Account.organization_id == organization_id)
            .order_by(*accounts.BY_CODE.columns)
        ).all()

    def through(self, day: date) -> dict[int, Money]:
        """Give every account's balance at the close of a day."""
        ids = [each.id for each in self.accounts]
        found = balances.of_accounts(self._organization_id, ids, through=day)
        return {each: Money(found.get(each, balances.NOTHING).amount_base_minor, self.base) for each in ids}

    def lines(
        self, types: Sequence[AccountType], now: dict[int, Money], before: dict[int, Money]
    ) -> list[ReportLine]:
        """Give the accounts of some types that have anything, by type and code."""
        return [
            ReportLine(each.id, each.code, each.name, each.type, each.in_scope, now[each.id], before[each.id])
            for type_ in types
            for each in self.accounts
            if each.type == type_ and (now[each.id] or before[each.id])
        ]

    def changes(self, types: Sequence[AccountType], period: Period) -> list[ReportLine]:
        """Give the changes of the accounts of some types in a period, and in the one before."""
        first, second, third = (
            self.through(day) for day in (period.before.eve, period.before.last, period.last)
        )
        return self.lines(
            types,
            {each: third[each] - second[each] for each in third},
            {each: second[each] - first[each] for each in second},
        )

    def result_of_year(self, day: date) -> Money:
        """Add up income and expenses of a day's year up to that day; a profit is below zero, as credits are."""
        period = year_to(day)
        now, before = self.through(period.last), self.through(period.eve)
        return total(
            (now[each.id] - before[each.id] for each in self.accounts if each.type in RESULT_TYPES), self.base
        )
