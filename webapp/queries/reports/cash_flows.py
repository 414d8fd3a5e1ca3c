"""The cash flow of a period, direct: what entries moved on cash, by the accounts on their other side.

Cash is the accounts of banks that are assets, petty cash, and what is on its way between them. An entry on it flows by
its other legs. Those on the accounts of exchange differences, and all that a revaluation moves, are the effect of
exchange rates. So what there was, the flows and the effect are what there is.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import BANK, AccountType, Role
from webapp.ledger.money import Money
from webapp.ledger.report_columns import ReportColumns
from webapp.models import COUNTING, JournalEntry, Posting, of_same_organization, refers_to
from webapp.queries.reports.books import ReportAccount, ReportBooks
from webapp.queries.reports.figures import Placed, placed
from webapp.queries.reports.statements import ReportLine, facts_of

EXCHANGE: Final = (Role.REALISED_EXCHANGE, Role.UNREALISED_EXCHANGE)


class Activity(StrEnum):
    """What money flows for."""

    OPERATING = "OPERATING"
    INVESTING = "INVESTING"
    FINANCING = "FINANCING"


TITLES: Final = {
    Activity.OPERATING: "Operating activities",
    Activity.INVESTING: "Investing activities",
    Activity.FINANCING: "Financing activities",
}
_OTHERS: Final = {
    "FIXED_ASSETS": Activity.INVESTING,
    **dict.fromkeys(("LOANS", "LONG_TERM_LIABILITIES", "EQUITY"), Activity.FINANCING),
}


@dataclass(frozen=True, slots=True)
class CashFigures:
    """A figure of each column."""

    amount: Money
    before: Money | None
    months: tuple[Money, ...] | None
    year_to_date: Money | None


@dataclass(frozen=True, slots=True)
class ActivityFlows:
    """What flowed for an activity, by account; money in is above zero."""

    code: Activity
    figures: CashFigures
    lines: list[ReportLine]

    @property
    def title(self) -> str:
        """What people call it."""
        return TITLES[self.code]


@dataclass(frozen=True, slots=True)
class CashFlow:
    """The cash flow of a period; `in_transit` is what of the closing is on its way between own accounts."""

    base_currency: str
    columns: ReportColumns
    opening: CashFigures
    activities: list[ActivityFlows]
    exchange_effect: CashFigures
    closing: CashFigures
    in_transit: CashFigures


def is_cash(account: ReportAccount) -> bool:
    """Return whether an account holds cash, or is what is on its way between such accounts."""
    return account.type == AccountType.ASSET and (account.group == BANK or account.role == Role.TRANSFERS)


def cash_flow(organization_id: str, columns: ReportColumns) -> CashFlow:
    """Give the cash flow of a period, and of those beside it."""
    periods = columns.periods
    books = ReportBooks(organization_id, [day for each in periods for day in (each.eve, each.last)])
    accounts = {each.id: each for each in books.accounts if each.id is not None}
    cash = {each for each, account in accounts.items() if is_cash(account)}
    flows: list[Counter[int]] = [Counter() for _ in periods]
    effects = [0] * len(periods)
    rows = _other_legs(organization_id, cash, min(e.first for e in periods), max(e.last for e in periods))
    for account_id, day, source, minor in rows:
        is_effect = source == "revaluation" or accounts[account_id].role in EXCHANGE
        for place, period in enumerate(periods):
            if period.first <= day <= period.last:
                if is_effect:
                    effects[place] -= minor
                else:
                    flows[place][account_id] -= minor

    def figures(minors: Iterable[int]) -> CashFigures:
        return CashFigures(*_placed(minors, books.base, columns))

    transit = {each for each in cash if accounts[each].role == Role.TRANSFERS}
    return CashFlow(
        books.base,
        columns,
        figures(_sum(books.sums[each.eve], cash) for each in periods),
        [_of_activity(each, accounts, flows, books.base, columns) for each in Activity],
        figures(effects),
        figures(_sum(books.sums[each.last], cash) for each in periods),
        figures(_sum(books.sums[each.last], transit) for each in periods),
    )


def _placed(minors: Iterable[int], base: str, columns: ReportColumns) -> Placed:
    return placed(list(minors), base, columns)


def _sum(sums: Mapping[int, int], ids: Iterable[int]) -> int:
    return sum(sums.get(each, 0) for each in ids)


def _of_activity(
    activity: Activity,
    accounts: Mapping[int, ReportAccount],
    flows: list[Counter[int]],
    base: str,
    columns: ReportColumns,
) -> ActivityFlows:
    lines, total = [], [0] * len(flows)
    for account_id, account in accounts.items():
        minors = [each[account_id] for each in flows]
        if any(minors) and _OTHERS.get(account.group, Activity.OPERATING) is activity:
            total = [one + two for one, two in zip(total, minors, strict=True)]
            lines.append(ReportLine(*facts_of(account), *placed(minors, base, columns), None))
    return ActivityFlows(activity, CashFigures(*placed(total, base, columns)), lines)


def _other_legs(
    organization_id: str, cash: Iterable[int], first: date, last: date
) -> Iterable[tuple[int, date, str, int]]:
    """Add up by account, day and source the legs beside cash of entries that move cash."""
    ids = list(cash)
    moves_cash = sa.exists().where(
        of_same_organization(_CASH, JournalEntry),
        _CASH.journal_entry_id == JournalEntry.id,
        _CASH.account_id.in_(ids),
    )
    keys = Posting.account_id, JournalEntry.effective_on, JournalEntry.source
    rows = db.session.execute(
        sa.select(*keys, sa.func.sum(Posting.amount_base_minor))
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .where(
            Posting.organization_id == organization_id,
            Posting.account_id.not_in(ids),
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on.between(first, last),
            moves_cash,
        )
        .group_by(*keys)
    )
    return [(account_id, day, source, int(minor or 0)) for account_id, day, source, minor in rows]


_CASH: Final = sa.orm.aliased(Posting)
