"""Reports over JSON."""

from __future__ import annotations

from typing import Any

from webapp import queries
from webapp.schemas.paging import listing, wrapped
from webapp.schemas.reports.reports import (
    BalanceSheetSchema,
    LedgerLineSchema,
    LedgerQuerySchema,
    ProfitAndLossSchema,
    ReportQuerySchema,
    TrialBalanceSchema,
)
from webapp.web import paging
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.rendering import periods

bp = Blueprint("api_reports", __name__, url_prefix="/api/reports", description="Reports")


@bp.get("/trial-balance")
@requires("read")
@bp.arguments(ReportQuerySchema, location="query")
@bp.response(200, wrapped("trialBalance", TrialBalanceSchema))
def trial_balance(query: dict[str, Any]) -> dict[str, Any]:
    """Get the trial balance: opening, change and closing of every account."""
    return {
        "trialBalance": queries.reports.trial_balances.trial_balance(
            organization_id(), periods.report_columns(query)
        )
    }


@bp.get("/profit-and-loss")
@requires("read")
@bp.arguments(ReportQuerySchema, location="query")
@bp.response(200, wrapped("profitAndLoss", ProfitAndLossSchema))
def profit_and_loss(query: dict[str, Any]) -> dict[str, Any]:
    """Get the profit and loss statement of a period, compared with another one."""
    return {
        "profitAndLoss": queries.reports.statements.profit_and_loss(
            organization_id(), periods.report_columns(query)
        )
    }


@bp.get("/balance-sheet")
@requires("read")
@bp.arguments(ReportQuerySchema, location="query")
@bp.response(200, wrapped("balanceSheet", BalanceSheetSchema))
def balance_sheet(query: dict[str, Any]) -> dict[str, Any]:
    """Get the balance sheet at the close of a period."""
    return {
        "balanceSheet": queries.reports.statements.balance_sheet(
            organization_id(), periods.report_columns(query)
        )
    }


@bp.get("/general-ledger")
@requires("read")
@bp.arguments(LedgerQuerySchema, location="query")
@bp.response(200, listing("lines", LedgerLineSchema))
def general_ledger(query: dict[str, Any]) -> dict[str, Any]:
    """List the postings of a period by account and day, with running balances, by part where grouped."""
    page = queries.reports.general_ledger.listed(
        organization_id(),
        periods.report_period(query["from_"], query["to"]),
        account_id=query["account_id"],
        selection=periods.selection(query),
        by=(by := periods.grouping(query)),
        after=paging.decode(query["cursor"], queries.reports.ledger_order.kinds_of_key(by)),
        limit=query["limit"],
    )
    return paging.answer("lines", page)
