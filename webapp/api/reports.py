"""Reports over JSON."""

from __future__ import annotations

from typing import Any

from webapp import queries
from webapp.schemas.paging import listing, wrapped
from webapp.schemas.reports.reports import (
    BalanceSheetSchema,
    LedgerLineSchema,
    LedgerQuerySchema,
    PeriodQuerySchema,
    ProfitAndLossSchema,
    TrialBalanceSchema,
)
from webapp.web import paging
from webapp.web.access.auth import organization_id, requires
from webapp.web.access.blueprints import Blueprint
from webapp.web.rendering import periods

bp = Blueprint("api_reports", __name__, url_prefix="/api/reports", description="Reports")


@bp.get("/trial-balance")
@requires("read")
@bp.arguments(PeriodQuerySchema, location="query")
@bp.response(200, wrapped("trialBalance", TrialBalanceSchema))
def trial_balance(asked: dict[str, Any]) -> dict[str, Any]:
    """Give opening, change and closing of every account."""
    return {
        "trialBalance": queries.reports.statements.trial_balance(organization_id(), periods.asked(**asked))
    }


@bp.get("/profit-and-loss")
@requires("read")
@bp.arguments(PeriodQuerySchema, location="query")
@bp.response(200, wrapped("profitAndLoss", ProfitAndLossSchema))
def profit_and_loss(asked: dict[str, Any]) -> dict[str, Any]:
    """Give income and expenses of a period, beside those of the one before."""
    return {
        "profitAndLoss": queries.reports.statements.profit_and_loss(organization_id(), periods.asked(**asked))
    }


@bp.get("/balance-sheet")
@requires("read")
@bp.arguments(PeriodQuerySchema, location="query")
@bp.response(200, wrapped("balanceSheet", BalanceSheetSchema))
def balance_sheet(asked: dict[str, Any]) -> dict[str, Any]:
    """Give what is owned, owed and left at the close of a period."""
    return {
        "balanceSheet": queries.reports.statements.balance_sheet(organization_id(), periods.asked(**asked))
    }


@bp.get("/general-ledger")
@requires("read")
@bp.arguments(LedgerQuerySchema, location="query")
@bp.response(200, listing("lines", LedgerLineSchema))
def general_ledger(asked: dict[str, Any]) -> dict[str, Any]:
    """List the postings of a period by account and day, with running balances."""
    page = queries.reports.general_ledger.listed(
        organization_id(),
        periods.asked(asked["from_"], asked["to"]),
        account_id=asked["account_id"],
        after=paging.decode(asked["cursor"], queries.reports.general_ledger.KEY),
        limit=asked["limit"],
    )
    return paging.answer("lines", page)
