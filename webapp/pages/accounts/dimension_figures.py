"""What the pages of accounts, projects, groups and merchants show of twelve months, with newest postings and drafts."""

from collections.abc import Collection
from typing import Any

from webapp import queries
from webapp.ledger.chart import AccountType
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.money import Money
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import ReportColumns, side_by_side
from webapp.queries.access import organizations
from webapp.queries.accounts.accounts import AccountRecord
from webapp.queries.reports.books import RESULT_TYPES
from webapp.queries.reports.dimension_results import DimensionResult
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, principal
from webapp.web.rendering import charts
from webapp.web.rendering.charts import Picture, Series

NEWEST, MONTHS = 20, 12


def results(dimension: Dimension, ids: Collection[int]) -> dict[int, DimensionResult]:
    """Give what some merchants or projects brought and cost in the last twelve months."""
    period = Period.months_to(organizations.today(organization_id(), requests.now()), MONTHS)
    base_currency = principal().base_currency
    return queries.reports.dimension_results.results(organization_id(), dimension, ids, period, base_currency)


def figures(selection: DimensionSelection) -> dict[str, Any]:
    """Give the results of the last twelve months side by side, the newest postings, and the newest drafts.

    Of a group of projects, each figure has parts by project.
    """
    today = organizations.today(organization_id(), requests.now())
    period = Period.months_to(today, MONTHS)
    by = Dimension.PROJECT if selection.project_group_id else None
    columns = ReportColumns(period, None, side_by_side(period), selection, by)
    report = queries.reports.statements.profit_and_loss(organization_id(), columns)
    first = queries.accounts.balances.first_day(organization_id())
    return {
        "columns": columns,
        "report": report,
        "chart": charts.result_chart(columns.months or (), report, first),
        "postings": queries.reports.dimensions.newest(organization_id(), selection, limit=NEWEST),
        "drafts": queries.reports.dimensions.newest(
            organization_id(), selection, limit=NEWEST, statuses=("DRAFT",)
        ),
    }


def account_chart(account: AccountRecord) -> Picture:
    """Draw twelve months of an account: its balance by day, of a category what each month came to."""
    of, here = queries.accounts.balances, organization_id()
    period = Period.months_to(organizations.today(here, requests.now()), MONTHS)
    months = side_by_side(period)
    if account.type in RESULT_TYPES:
        report = queries.reports.statements.profit_and_loss(here, ReportColumns(period, None, months))
        found = next((each.months for each in report.lines if each.account_id == account.id), None)
        amounts = found or [Money.zero(report.base_currency)] * len(months)
        is_income = account.type == AccountType.INCOME
        shown = charts.amounts_since(
            months, [-each if is_income else each for each in amounts], of.first_day(here)
        )
        series = Series("income" if is_income else "expenses", shown)
        return charts.bars(months, [series], report.base_currency)
    first = of.first_day(here, [account.id])
    balances = {
        day: Money(each.amount_minor, account.currency)
        if account.currency
        else Money(each.amount_base_minor, account.balance_base.currency)
        for day, each in of.by_day(here, [account.id], period).items()
        if first is not None and day >= first
    }
    return charts.line(period, balances, months, account.balance.currency, {})
