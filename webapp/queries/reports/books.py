"""The balances that reports are made of: income and expenses since their financial year began, and what was carried.

Nothing is ever closed by an entry. On the first day of a year the balance of each income and expense account is
carried to retained earnings, that of personal accounts to a row of its own, by computing it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType, Role, ancestors, group_of
from webapp.ledger.dimensions import EVERYTHING, Dimension, DimensionSelection
from webapp.ledger.financial_years import FinancialYears
from webapp.ledger.open_items.ageing import SIDES, OwedSide
from webapp.ledger.periods import Period
from webapp.models import Account, JournalEntry
from webapp.queries.access import organizations
from webapp.queries.accounts import accounts, balances
from webapp.queries.common.made_once import made_once
from webapp.queries.reports import closings, dimensions, opposite_balances

RESULT_TYPES = closings.RESULT_TYPES
SHEET_TYPES = (AccountType.ASSET, AccountType.LIABILITY, AccountType.EQUITY)
EQUITY_AND_RESULT_TYPES = (AccountType.EQUITY, *RESULT_TYPES)
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class ReportAccount:
    """An account of a report, or a computed row: without an id, or with one that no account has."""

    id: int | None
    code: str | None
    name: str
    type: str
    in_scope: bool
    role: str | None = None
    keeps_items: bool = False
    parent_id: int | None = None
    own_group: str | None = None

    @property
    def group(self) -> str:
        """The group of a subtotal that it stands in."""
        return group_of(self.type, self.role, self.code, self.own_group)

    @property
    def account_id(self) -> int | None:
        """The id of the account itself; none where the row is computed."""
        return self.id if self.id and self.id > 0 else None

    @property
    def is_of_result(self) -> bool:
        """Tell whether it begins each financial year at nil."""
        return self.type in RESULT_TYPES


PERSONAL_EARLIER = ReportAccount(
    None, None, "Personal, of earlier years", AccountType.EQUITY.value, in_scope=False
)
# What a balance sheet takes from the accounts that keep items, of parties that stand on their other side: by ids that
# no account has.
_OPPOSITE_IDS: Final = {OwedSide.RECEIVABLES: -1, OwedSide.PAYABLES: -2}
_OPPOSITE: Final = (
    ReportAccount(-1, None, "Customers in credit", AccountType.LIABILITY.value, in_scope=True),
    ReportAccount(-2, None, "Suppliers in debit", AccountType.ASSET.value, in_scope=True),
)
Amounts = Counter[int | None]
Closes = Mapping[date, Mapping[int, int]]


@dataclass(frozen=True, slots=True)
class Part:
    """What is posted to one project, group or merchant; without an id what is posted to none."""

    id: int | None
    name: str | None
    books: ReportBooks


class ReportBooks:
    """Accounts and their balances at the close of some days, in minor units of the base currency.

    With a selection only its postings count; by a dimension the books have `parts`, that add up to them. With
    `parties_apart` what parties have on the other side of an account stands in rows of its own. No adjusting entry
    counts of the financial year that has the day `unadjusted_on`.
    """

    def __init__(
        self,
        organization_id: str,
        days: Iterable[date],
        selection: DimensionSelection = EVERYTHING,
        by: Dimension | None = None,
        *,
        parties_apart: bool = False,
        unadjusted_on: date | None = None,
    ) -> None:
        self.organization_id, self.selection, self.by = organization_id, selection, by
        self.base = organizations.get(organization_id).base_currency
        self.years = organizations.financial_years(organization_id)
        kept, has_closings = _accounts(organization_id)
        self.accounts = [*kept, *(_OPPOSITE if parties_apart else ()), PERSONAL_EARLIER]
        self.retained_id = next(each.id for each in self.accounts if each.role == Role.RETAINED_EARNINGS)
        closes = set(days)
        wanted = _with_eves(self.years, closes)
        by_key = (
            dimensions.in_base_currency(organization_id, wanted, selection, by) if selection or by else {}
        )
        self.sums: Closes = (
            _all_of(by_key.values(), wanted)
            if selection
            else balances.in_base_currency(organization_id, wanted)
        )
        if by and not selection:
            by_key[None] = _rest(self.sums, by_key.values())
        self._by_key: dict[int | None, Closes] = {**by_key} if by else {}
        # Such legs name no project and no merchant, so that no selection has them.
        self.closings = closings.legs(organization_id) if has_closings and not selection else []
        if unadjusted_on is not None:
            self.sums = self._without(closings.adjusting(organization_id, self.years.of(unadjusted_on)))
        if self.closings:
            self._set_closings_apart()
        if parties_apart:
            self._set_parties_apart(closes)

    def _set_closings_apart(self) -> None:
        """Count on retained earnings what closing entries post to income and expenses."""
        self.sums = self._without_closings(self.sums)
        if self.by:
            self._by_key[None] = self._without_closings(self._by_key[None])

    def _without(self, legs: Sequence[closings.AdjustingLeg]) -> Closes:
        found = {}
        for day, amounts in self.sums.items():
            found[day] = Counter(amounts)
            for leg in legs:
                found[day][leg.account_id] -= leg.base_minor if leg.day <= day else 0
        return found

    def _without_closings(self, sums: Closes) -> Closes:
        found = {}
        for day, amounts in sums.items():
            found[day] = Counter(amounts)
            found[day].update(closings.moved(self.closings, day, self.retained_id or 0))
        return found

    def _set_parties_apart(self, days: Collection[date]) -> None:
        """Move what parties have on the other side of the accounts that keep items to rows of their own."""
        sides = {each.id: SIDES[each.type] for each in self.accounts if each.id and each.keeps_items}
        moved = opposite_balances.by_part(self.organization_id, sides, days, self.selection, self.by)
        for part, sums in moved.items():
            self.sums = _moved(self.sums, sums, sides)
            if self.by:
                self._by_key[part] = _moved(self._by_key[part], sums, sides)

    def under(self, account_id: int) -> set[int]:
        """Give the ids of an account and of all that stand under it."""
        parents = {each.id: each.parent_id for each in self.accounts if each.id}
        return {each for each in parents if account_id in (each, *ancestors(each, parents))}

    @cached_property
    def parts(self) -> Sequence[Part]:
        """The books of each project, group or merchant that anything is posted to, A to Z, and then of none."""
        if self.by is None:
            return ()
        members = dimensions.members(self.organization_id, self.by)
        return [
            Part(each, name, self._with(self._by_key[each]))
            for each, name in [*members.items(), (None, None)]
            if each in self._by_key
        ]

    def _with(self, sums: Closes) -> ReportBooks:
        """Give the same books with other balances."""
        others = copy(self)
        others.sums, others.by = sums, None
        return others

    def change(self, period: Period) -> Amounts:
        """Give what was posted to each account in a period; carries are no postings."""
        now, before = self.sums[period.last], self.sums[period.eve]
        return Counter({each: now[each] - before.get(each, 0) for each in now})

    def opening(self, day: date) -> Amounts:
        """Give each account's balance as a day begins: in the year that the day belongs to."""
        return self._standing(self.sums[day - DAY], day)

    def closing(self, day: date) -> Amounts:
        """Give each account's balance at the close of a day."""
        return self._standing(self.sums[day], day)

    def carries(self, period: Period) -> dict[date, Amounts]:
        """Give what is carried on the first day of each year that begins within a period, its own first day apart."""
        return {day: self._carried(day) for day in self.years.starts_within(period)}

    def _carried(self, day: date) -> Amounts:
        before, after = self.closing(day - DAY), self.opening(day)
        return Counter({each.id: after[each.id] - before[each.id] for each in self.accounts})

    def earlier(self, day: date) -> tuple[int, int]:
        """Add up income and expenses of the years before that of a day: those of the business, and personal ones."""
        earlier = self.sums[self.years.start_of(day) - DAY]
        results = [each for each in self.accounts if each.is_of_result]
        business = sum(earlier.get(each.id or 0, 0) for each in results if each.in_scope)
        return business, sum(earlier.get(each.id or 0, 0) for each in results) - business

    def _standing(self, sums: Mapping[int, int], day: date) -> Amounts:
        earlier = self.sums[self.years.start_of(day) - DAY]
        found: Amounts = Counter(
            {
                each.id: sums.get(each.id, 0) - (earlier.get(each.id, 0) if each.is_of_result else 0)
                for each in self.accounts
                if each.id is not None
            }
        )
        business, found[None] = self.earlier(day)
        found[self.retained_id] += business
        return found


def _with_eves(years: FinancialYears, days: Iterable[date]) -> set[date]:
    """Add the eves of the years that days belong to, and that the days after them belong to."""
    wanted = set(days)
    return wanted | {years.start_of(each) - DAY for day in wanted for each in (day, day + DAY)}


def _accounts(organization_id: str) -> tuple[list[ReportAccount], bool]:
    """Read the chart, and whether there is a closing entry."""
    rows = db.session.execute(*_chart(organization_id)).all()
    return [ReportAccount(*row[:-1]) for row in rows], any(row[-1] for row in rows)


@made_once
def _chart(organization_id: str) -> sa.Select[*tuple[Any, ...]]:
    columns = (Account.id, Account.code, Account.name, Account.type, Account.in_scope, Account.role)
    closing = sa.select(JournalEntry.id).where(
        JournalEntry.organization_id == organization_id, JournalEntry.is_closing
    )
    return (
        sa.select(*columns, Account.keeps_items, Account.parent_id, Account.group, closing.exists())
        .where(Account.organization_id == organization_id)
        .order_by(*accounts.BY_CODE.columns)
    )


def _all_of(parts: Iterable[dimensions.Sums], days: Iterable[date]) -> dict[date, Counter[int]]:
    """Add up the balances of parts, day by day."""
    added: dict[date, Counter[int]] = {day: Counter() for day in days}
    for part in parts:
        for day, sums in part.items():
            added[day].update(sums)
    return added


def _rest(whole: Mapping[date, Mapping[int, int]], parts: Iterable[dimensions.Sums]) -> dimensions.Sums:
    """Take the balances of parts from the whole, day by day."""
    left: dimensions.Sums = {day: Counter(sums) for day, sums in whole.items()}
    for part in parts:
        for day, sums in part.items():
            left[day].subtract(sums)
    return left


def _moved(closes: Closes, moved: dimensions.Sums, sides: Mapping[int, OwedSide]) -> dict[date, Counter[int]]:
    """Take amounts from accounts, day by day, and put them in the row of their side's opposite."""
    found = {day: Counter(sums) for day, sums in closes.items()}
    for day, amounts in moved.items():
        for account_id, minor in amounts.items():
            found[day].subtract({account_id: minor, _OPPOSITE_IDS[sides[account_id]]: -minor})
    return found
