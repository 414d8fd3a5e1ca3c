"""Reports to read and to print, the same as the API's, with links from each figure to its entries."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from flask import Blueprint, Response, request, url_for

from webapp import queries
from webapp.ledger.closing.layouts import LAYOUTS, PRESET, layout_of
from webapp.ledger.dimensions import Dimension, DimensionSelection
from webapp.ledger.periods import Period
from webapp.ledger.report_columns import Adjusting, Comparison, ReportColumns, side_by_side
from webapp.schemas.base import Schema
from webapp.schemas.reports.reports import (
    MONTHS,
    DayBookPageQuerySchema,
    FlowPageQuerySchema,
    LedgerPageQuerySchema,
    OverviewPageQuerySchema,
    ReportPageQuerySchema,
    ResultPageQuerySchema,
)
from webapp.web import paging
from webapp.web.access import requests
from webapp.web.access.auth import organization_id, requires
from webapp.web.rendering import charts, periods, shares
from webapp.web.rendering.htmx import redirect_to, render
from webapp.web.rendering.languages import marked
from webapp.web.rendering.periods import with_counting_merchant

bp = Blueprint("reports", __name__, url_prefix="/reports")
COMPARISONS = (
    (Comparison.PREVIOUS_YEAR, "The same days a year before"),
    (Comparison.PREVIOUS_PERIOD, "The period before"),
    (Comparison.NONE, marked("Nothing")),
)

# What an address that does not say so asks for.
PRESETS = (PRESET, Adjusting.WITH)
LAYOUT_NAMES = [(each, layout_of(each).name) for each in LAYOUTS]

DIMENSIONS = (
    (Dimension.PROJECT, marked("Project")),
    (Dimension.PROJECT_GROUP, "Project group"),
    (Dimension.MERCHANT, "Customer or supplier"),
)
NOT_KEPT = ("from_", "to", "cursor", "limit")


@bp.get("")
@requires("read")
def index() -> Response:
    """Go to the first of the reports."""
    return redirect_to(url_for("reports.profit_and_loss"))


@bp.get("/overview")
@requires("read")
def overview() -> Response:
    """Show cash by day, and income and expenses by month, of the last months; the hub loads it as a part."""
    chosen = OverviewPageQuerySchema.read_leniently(request.query_string.decode())["months"]
    of = queries.accounts.balances
    period = Period.months_to(
        queries.access.organizations.today(organization_id(), requests.now()), int(chosen)
    )
    months = side_by_side(period)
    report = queries.reports.statements.profit_and_loss(
        organization_id(), ReportColumns(period, None, months)
    )
    cash = of.cash_by_day(organization_id(), period)
    banks = queries.reports.stated_balances.of_all_banks(organization_id(), [each.last for each in months])
    beside = {
        "books": [cash.get(each.last) for each in months],
        "bank": [banks.get(each.last) for each in months],
    }
    currency = report.base_currency
    return render(
        "reports/overview.html",
        chosen=chosen,
        choices=MONTHS,
        cash=charts.line(period, cash, charts.weeks(period), currency, banks),
        results=charts.result_chart(
            months,
            report,
            of.first_day(organization_id()),
            *(charts.Series(key, amounts, is_drawn=False) for key, amounts in beside.items()),
        ),
        highest=max(cash.items(), key=lambda item: item[1].minor, default=None),
        lowest=min(cash.items(), key=lambda item: item[1].minor, default=None),
    )


@bp.get("/trial-balance")
@requires("read")
def trial_balance() -> Response:
    """Show the trial balance."""
    return shown(
        "reports/trial_balance.html", queries.reports.trial_balances.trial_balance, asks=("turnovers",)
    )


@bp.get("/profit-and-loss")
@requires("read")
def profit_and_loss() -> Response:
    """Show income and expenses, and the expenses as a picture that leads into one of them."""
    within = ResultPageQuerySchema.read_leniently(request.query_string.decode())["within"]
    account = within and queries.accounts.accounts.get(organization_id(), within)
    report = partial(queries.reports.statements.profit_and_loss, within=within)
    drawn = partial(shares.Icicle, within=within)
    return shown(
        "reports/profit_and_loss.html", report, ResultPageQuerySchema, drawn, asks=("layout",), within=account
    )


@bp.get("/balance-sheet")
@requires("read")
def balance_sheet() -> Response:
    """Show the balance sheet."""
    return shown("reports/balance_sheet.html", queries.reports.statements.balance_sheet, asks=("layout",))


@bp.get("/cash-flow")
@requires("read", is_heavy=True)
def cash_flow() -> Response:
    """Show what money flowed for."""
    flow = queries.reports.cash_flows.cash_flow
    return shown("reports/cash_flow.html", flow, FlowPageQuerySchema, dimensions=None)


@bp.get("/changes-in-equity")
@requires("read", is_heavy=True)
def changes_in_equity() -> Response:
    """Show what moved equity."""
    query = DayBookPageQuerySchema.read_leniently(request.query_string.decode())
    period = periods.report_period(query["from_"], query["to"])
    report = queries.reports.equity_changes.changes_in_equity(organization_id(), ReportColumns(period))
    return render(
        "reports/changes_in_equity.html",
        period=period,
        period_choices=periods.period_choices(period),
        report=report,
    )


@bp.get("/day-book")
@requires("read", is_heavy=True)
def day_book() -> Response:
    """Show the legs of a period by day and entry."""
    query = DayBookPageQuerySchema.read_leniently(request.query_string.decode())
    here, period = organization_id(), periods.report_period(query["from_"], query["to"])
    page = queries.journal.day_books.listed(
        here, period, after=paging.decode(query["cursor"], "dii"), limit=query["limit"]
    )
    base = queries.access.organizations.base_currency(here)
    return render(
        "reports/day_book.html",
        period=period,
        period_choices=periods.period_choices(period),
        lines=page.items,
        totals=queries.journal.day_books.totals(here, period, base),
        cursor=query["cursor"],
        next_cursor=paging.encode(page.next_key),
    )


@bp.get("/general-ledger")
@requires("read")
def general_ledger() -> Response:
    """Show the general ledger of a period, of all accounts or of one."""
    query = with_counting_merchant(LedgerPageQuerySchema.read_leniently(request.query_string.decode()))
    period, account_id = periods.report_period(query["from_"], query["to"]), query["account_id"]
    selection, by = periods.selection(query), periods.grouping(query)
    page = queries.reports.general_ledger.listed(
        organization_id(),
        period,
        account_id=account_id,
        selection=selection,
        by=by,
        after=paging.decode(query["cursor"], queries.reports.ledger_order.kinds_of_key(by)),
        limit=query["limit"],
    )
    return render(
        "reports/general_ledger.html",
        period=period,
        period_choices=periods.period_choices(period),
        keep=kept(LedgerPageQuerySchema(exclude=NOT_KEPT), query),
        selected=selected(selection),
        choices=choices(),
        by=by,
        dimensions=DIMENSIONS,
        lines=page.items,
        account_id=account_id,
        accounts=queries.accounts.choices.accounts(organization_id(), with_feeds=True, chosen=[account_id]),
        cursor=query["cursor"],
        next_cursor=paging.encode(page.next_key),
    )


def shown(
    template: str,
    report: Callable[..., Any],
    schema: type[ReportPageQuerySchema | FlowPageQuerySchema] = ReportPageQuerySchema,
    draw: Callable[[Any], Any] | None = None,
    asks: Sequence[str] = (),
    **context: Any,
) -> Response:
    """Render a report with the columns that the address asks for; links within it keep what else that has."""
    query = schema.read_leniently(request.query_string.decode())
    if "org_merchant_id" in query:
        query = with_counting_merchant(query)
    if not query["compare_from"]:
        query["compare_with"] = query["compare_with"] or Comparison.PREVIOUS_YEAR
    columns = periods.report_columns(query)
    found = report(organization_id(), columns, **{name: query[name] for name in asks})
    shared: dict[str, Any] = {"dimensions": DIMENSIONS, "layouts": LAYOUT_NAMES, **context}
    return render(
        template,
        period=columns.period,
        period_choices=periods.period_choices(columns.period),
        columns=found.columns,
        keep=kept(schema(exclude=("from_", "to")), query),
        comparisons=COMPARISONS,
        selected=selected(columns.selection),
        choices=choices(),
        report=found,
        picture=draw(found) if draw else None,
        lock_date=queries.access.organizations.get(organization_id()).lock_date,
        **shared,
    )


def kept(schema: Schema, query: Mapping[str, Any]) -> dict[str, Any]:
    """Write what a query asks for as an address has it."""
    asked = schema.dump({name: value for name, value in query.items() if value and value not in PRESETS})
    return {name: "true" if value is True else value for name, value in asked.items()}


def selected(selection: DimensionSelection) -> list[str]:
    """Name what only counts."""
    return list(queries.reports.dimensions.names(organization_id(), selection).values())


def choices() -> dict[str, Any]:
    """Give the projects, groups and merchants to choose from."""
    of, here = queries.accounts.choices, organization_id()
    return {
        "projects": of.projects(here),
        "project_groups": of.project_groups(here),
        "merchants": of.merchants(here),
    }
