"""The figures of locked days as reports present them, to be compared before and after an act that could move one."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from typing import Any, Final

import sqlalchemy as sa

from webapp.database.sessions import db
from webapp.ledger.chart import AccountType, group_of
from webapp.ledger.dimensions import Dimension
from webapp.ledger.money import Money
from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.periods import Period, month_end
from webapp.ledger.report_columns import ReportColumns
from webapp.models import (
    COUNTING,
    Account,
    DaySum,
    JournalEntry,
    Merchant,
    MonthSum,
    Posting,
    Project,
    ProjectGroup,
    refers_to,
)
from webapp.queries.access import organizations
from webapp.queries.common import lookups
from webapp.queries.currencies import revaluation_verdicts
from webapp.queries.currencies.revaluation_verdicts import RevaluationState
from webapp.queries.items import ageing
from webapp.queries.reports import statements
from webapp.queries.reports.closings import RESULT_TYPES


class Read(StrEnum):
    """What reports read a column for: how an account is shown, its items, its revaluation, or whose postings are."""

    SHOWN = "SHOWN"
    ITEMS = "ITEMS"
    REVALUED = "REVALUED"
    PARTS = "PARTS"


# Every column of what reports present, by its table: what a report of a day reads it for, if it does. A test fails for
# a new one.
READ: Final[Mapping[str, Mapping[str, Read | None]]] = {
    "accounts": {
        "type": Read.SHOWN,
        "in_scope": Read.SHOWN,
        "parent_id": Read.SHOWN,
        "keeps_items": Read.ITEMS,
        "items_from": Read.ITEMS,
        "is_revalued": Read.REVALUED,
        "role": Read.SHOWN,
        "group": Read.SHOWN,
        "code": Read.SHOWN,
        **dict.fromkeys(("name", "emoji", "currency", "requires_counterparty", "is_watched", "is_archived")),
        # Until when it took other currencies; no report reads it.
        "currency_from": None,
        # For lines that get the account later.
        "tax_code_id": None,
    },
    "merchants": {
        "merged_into_id": Read.PARTS,
        **dict.fromkeys(("merged_through_id", "name", "website", "terms_days", "vat_ids", "ibans")),
        **dict.fromkeys(("image_url", "logo")),
    },
    "projects": {"group_id": Read.PARTS, "name": None, "emoji": None},
    "project_groups": {"name": None, "emoji": None},
    "exchange_rates": {
        **dict.fromkeys(("units_per_base", "day", "currency"), Read.REVALUED),
        "source": None,
    },
}
# Of longer ago only the ends of years are aged, which take a statement each.
MOST_AGED: Final = 24


@dataclass(frozen=True, slots=True)
class LockedFigure:
    """A figure of a report: which one, at the close of which day or up to it, and what it is of.

    `part_id` tells merchants, or groups of projects, of one name apart.
    """

    report: str
    day: date
    label: str
    part_id: int | None = None

    def __str__(self) -> str:
        return f"{self.report} of {self.day:%-d %b %Y}, {self.label}"


Figures = Mapping[LockedFigure, str | None]


@dataclass(frozen=True, slots=True)
class Moved:
    """A figure that an act moves."""

    figure: LockedFigure
    before: str
    after: str


def of_account(organization_id: str, lock_date: date, account_id: int, reads: Collection[Read]) -> Figures:
    """Read what figures of locked days an account has a part in, for what reports read of it.

    How it is presented moves a figure of each day that has put something on it.
    """
    first = _first_of_account(organization_id, account_id)
    if first is None or first > lock_date:
        return {}
    found: dict[LockedFigure, str | None] = {}
    year = Period(organizations.financial_years(organization_id).start_of(lock_date), lock_date)
    if Read.SHOWN in reads:
        account = lookups.get(Account, organization_id, account_id)
        if account.type in RESULT_TYPES:
            found |= _result(organization_id, ReportColumns(year))
        found |= _sums_of(account, lock_date)
    if Read.ITEMS in reads:
        found |= _sheet(organization_id, ReportColumns(year))
        ends = [each.last for each in Period(first, lock_date).months][::-1]
        for day in [*ends[:MOST_AGED], *(day for day in ends[MOST_AGED:] if day.month == lock_date.month)]:
            found |= _aged(organization_id, day)
    if Read.REVALUED in reads and _has_foreign(organization_id, lock_date, MonthSum.account_id == account_id):
        found |= revalued(organization_id, lock_date, [lock_date])
    return found


def _first_of_account(organization_id: str, account_id: int) -> date | None:
    of_account = MonthSum.organization_id == organization_id, MonthSum.account_id == account_id
    return db.session.scalar(sa.select(sa.func.min(MonthSum.day)).where(*of_account))


def _has_foreign(organization_id: str, lock_date: date, *conditions: sa.ColumnElement[bool]) -> bool:
    """Return whether months up to a locked day have sums in other currencies than the base."""
    of_books = MonthSum.organization_id == organization_id, MonthSum.day <= lock_date
    foreign = MonthSum.currency != organizations.base_currency(organization_id)
    statement = sa.select(MonthSum.account_id).where(*of_books, foreign, *conditions).limit(1)
    return db.session.scalar(statement) is not None


def _sums_of(account: Account, lock_date: date) -> Figures:
    """Read what each locked day put on an account, under what reports present it as, the newest first."""
    shown = f"{account.type.lower()}{'' if account.in_scope else ', personal'}"
    shown += f", {group_of(account.type, account.role, account.code, account.group).lower()}"
    shown += f", below account {account.parent_id}" if account.parent_id else ""
    of_account = DaySum.organization_id == account.organization_id, DaySum.account_id == account.id
    rows = db.session.execute(
        sa.select(DaySum.day, sa.func.sum(DaySum.amount_base_minor))
        .where(*of_account, DaySum.day <= lock_date)
        .group_by(DaySum.day)
        .order_by(DaySum.day.desc())
    )
    base = organizations.base_currency(account.organization_id)
    report = "Profit and loss" if account.type in RESULT_TYPES else "Balance sheet"
    return {
        LockedFigure(report, day, f"{account.name} ({shown})"): str(Money(int(minor), base))
        for day, minor in rows
        if minor
    }


def of_parts(organization_id: str, lock_date: date, by: Dimension, ids: Collection[int]) -> Figures:
    """Read what some merchants or projects have up to locked days, by the one or the group that they count for."""
    own, counting = {
        Dimension.MERCHANT: (
            Posting.org_merchant_id,
            sa.select(
                Merchant.id, sa.func.coalesce(Merchant.merged_into_id, Merchant.id).label("part")
            ).where(Merchant.organization_id == organization_id, Merchant.id.in_(ids)),
        ),
        Dimension.PROJECT_GROUP: (
            Posting.project_id,
            sa.select(Project.id, Project.group_id.label("part")).where(
                Project.organization_id == organization_id, Project.id.in_(ids)
            ),
        ),
    }[by]
    parts = dict(db.session.execute(counting).all())
    keys = own, JournalEntry.effective_on, Account.type, Account.keeps_items, Posting.currency
    added = sa.func.sum(Posting.amount_minor), sa.func.sum(Posting.amount_base_minor)
    rows = db.session.execute(
        sa.select(*keys, *added, sa.func.count())
        .join(JournalEntry, refers_to(Posting.journal_entry_id, JournalEntry))
        .join(Account, refers_to(Posting.account_id, Account))
        .where(
            Posting.organization_id == organization_id,
            own.in_(ids),
            JournalEntry.status.in_(COUNTING),
            JournalEntry.effective_on <= lock_date,
        )
        .group_by(*keys)
    )
    model: type[Merchant | ProjectGroup] = Merchant if by is Dimension.MERCHANT else ProjectGroup
    names = {each: row.name for each, row in lookups.by_id(model, organization_id, parts.values()).items()}
    own_parts = {own: (part, names.get(part, f"no {by.value}")) for own, part in parts.items()}
    return _of_parts(rows, own_parts, lock_date, organizations.base_currency(organization_id), by)


def _of_parts(
    rows: Iterable[Any],
    parts: Mapping[int, tuple[int | None, str]],
    lock_date: date,
    base: str,
    by: Dimension,
) -> Figures:
    sums: dict[tuple[str, str, str, int | None], Counter[date]] = defaultdict(Counter)
    touched: Counter[tuple[int | None, str]] = Counter()
    for own, day, type_, keeps_items, currency, minor, base_minor, count in rows:
        part_id, label = parts[own]
        end = min(month_end(day), lock_date)
        touched[part_id, label] += count
        if keeps_items and by is Dimension.MERCHANT:
            report = "Aged receivables" if type_ == AccountType.ASSET else "Aged payables"
            sums[report, label, currency, part_id][end] += int(minor)
        elif type_ in RESULT_TYPES:
            sums["Profit and loss", f"result of {label}", base, part_id][end] += int(base_minor or 0)
        else:
            sums["Balance sheet", label, base, part_id][end] += int(base_minor or 0)
    found: dict[LockedFigure, str | None] = {}
    for (report, label, currency, part_id), months in sums.items():
        for day in sorted(months, reverse=True):
            is_balance = report != "Profit and loss"
            minor = sum(each for at, each in months.items() if at <= day) if is_balance else months[day]
            if minor:
                figure = LockedFigure(report, day, f"{label}, {currency}", part_id)
                found[figure] = str(Money(minor, currency))
    # What comes to nothing at each end of a month may be open in between.
    return found | {
        LockedFigure("General ledger", lock_date, f"postings of {label}", part_id): str(count)
        for (part_id, label), count in touched.items()
    }


def revalued(organization_id: str, lock_date: date, days: Collection[date]) -> Figures:
    """Read what revaluations of locked days are off by: of those that stand, and of some days."""
    standing = revaluation_verdicts.standing_days(organization_id, date.min, most=10_000)
    return _off(organization_id, {*days, *(each for each in standing if each <= lock_date)})


def revalued_at(
    organization_id: str, lock_date: date, changed: Collection[tuple[date, str]], current_for: int
) -> Figures | None:
    """Read what revaluations are off by of locked days that may be at one of these rates; None where none is.

    A rate is that of its day, and of some days after it.
    """
    codes = {code for _, code in changed}
    if not _has_foreign(organization_id, lock_date, MonthSum.currency.in_(codes)):
        return None
    near = {
        day + timedelta(days=step)
        for day, _ in changed
        if day <= lock_date
        for step in range(current_for + 1)
    }
    ends = {day for day in near if day <= lock_date and (day == month_end(day) or day == lock_date)}
    standing = revaluation_verdicts.standing_days(organization_id, min(near), most=10_000)
    days = {*sorted(ends)[-MOST_AGED:], *(each for each in standing if each <= lock_date and each in near)}
    return _off(organization_id, days) if days else None


def _off(organization_id: str, days: Collection[date]) -> Figures:
    organization = organizations.get(organization_id)
    found: dict[LockedFigure, str | None] = {}
    for day in sorted(days):
        verdict = revaluation_verdicts.of_day(organization, day)
        is_known = verdict.state is not RevaluationState.RATE_MISSING
        warning = verdict.warning
        text = "0" if warning is None else str(warning.difference)
        found[LockedFigure("Balance sheet", day, "what revaluation misses")] = text if is_known else None
    return found


def moved(before: Figures, after: Figures) -> Moved | None:
    """Find the first figure that differs; where a rate was missing there was none."""
    for figure in (*before, *(each for each in after if each not in before)):
        old, new = before.get(figure, "0.00"), after.get(figure, "0.00")
        if old != new and old is not None:
            return Moved(figure, old, new or "unknown")
    return None


def _result(organization_id: str, columns: ReportColumns) -> Figures:
    report = statements.profit_and_loss(organization_id, columns)
    totals = {"result": report.result, "income": report.income, "expenses": report.expenses}
    return dict(_of_report("Profit and loss", columns, {**totals, "personal": report.personal}, report.lines))


def _sheet(organization_id: str, columns: ReportColumns) -> Figures:
    report = statements.balance_sheet(organization_id, columns)
    totals = {"assets": report.assets, "liabilities": report.liabilities, "equity": report.equity}
    totals |= {"result of the year": report.result_of_year, "earlier results": report.earlier_results}
    return dict(_of_report("Balance sheet", columns, totals, report.lines))


def _of_report(
    name: str, columns: ReportColumns, totals: Mapping[str, Any], lines: Collection[Any]
) -> Iterator[tuple[LockedFigure, str]]:
    # A line is presented by its account, the type and the scope; its name is no figure.
    rows = [(label, sums) for label, sums in totals.items()]
    rows += [
        (f"account {each.account_id or each.name} ({each.type}{'' if each.in_scope else ', personal'})", each)
        for each in lines
    ]
    for label, sums in rows:
        for period, amount in zip(
            (columns.period, *(columns.months or ())), (sums.amount, *(sums.months or ())), strict=True
        ):
            if amount:
                yield LockedFigure(name, period.last, label), str(amount)
        for part in sums.parts or ():
            yield LockedFigure(name, columns.period.last, f"{label} of {part.id}"), str(part.amount)


def _aged(organization_id: str, day: date) -> Figures:
    found: dict[LockedFigure, str | None] = {}
    for side, name in ((OwedSide.RECEIVABLES, "Aged receivables"), (OwedSide.PAYABLES, "Aged payables")):
        report = ageing.report(organization_id, side, day)
        found[LockedFigure(name, day, "total")] = str(report.total_base)
        for party in report.parties:
            for row in party.rows:
                found |= {
                    LockedFigure(name, day, f"party {party.id}, {row.currency}, {age}"): str(amount)
                    for age, amount in row.amounts.items()
                    if amount
                }
    return found
