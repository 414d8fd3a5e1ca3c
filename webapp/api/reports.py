"""Reports over JSON."""

from typing import Any

from webapp import queries
from webapp.ledger.open_items.ageing import OwedSide
from webapp.ledger.report_columns import ReportColumns
from webapp.schemas import fields
from webapp.schemas.paging import listing, wrapped
from webapp.schemas.reports.ageing import (
    AgedReportSchema,
    AsOfQuerySchema,
    ExpectedCashSchema,
    PartyStatementSchema,
    StatementQuerySchema,
)
from webapp.schemas.reports.flows import CashFlowSchema, ChangesInEquitySchema, DayBookLineSchema
from webapp.schemas.reports.reports import (
    BalanceSheetSchema,
    ColumnsQuerySchema,
    DayBookQuerySchema,
    LedgerLineSchema,
    LedgerQuerySchema,
    PeriodQuerySchema,
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
            organization_id(), periods.report_columns(query), turnovers=query["turnovers"]
        )
    }


@bp.get("/profit-and-loss")
@requires("read")
@bp.arguments(ReportQuerySchema, location="query")
@bp.response(200, wrapped("profitAndLoss", ProfitAndLossSchema))
def profit_and_loss(query: dict[str, Any]) -> dict[str, Any]:
    """Get the profit and loss statement of a period, compared with another one."""
    columns, layout = periods.report_columns(query), query["layout"]
    return {
        "profitAndLoss": queries.reports.statements.profit_and_loss(organization_id(), columns, layout=layout)
    }


@bp.get("/balance-sheet")
@requires("read")
@bp.arguments(ReportQuerySchema, location="query")
@bp.response(200, wrapped("balanceSheet", BalanceSheetSchema))
def balance_sheet(query: dict[str, Any]) -> dict[str, Any]:
    """Get the balance sheet at the close of a period."""
    return {
        "balanceSheet": queries.reports.statements.balance_sheet(
            organization_id(), periods.report_columns(query), layout=query["layout"]
        )
    }


@bp.get("/cash-flow")
@requires("read", is_heavy=True)
@bp.arguments(ColumnsQuerySchema, location="query")
@bp.response(200, wrapped("cashFlow", CashFlowSchema))
def cash_flow(query: dict[str, Any]) -> dict[str, Any]:
    """Get what money flowed for in a period, by the other accounts of entries that moved it."""
    columns = periods.report_columns(query)
    return {"cashFlow": queries.reports.cash_flows.cash_flow(organization_id(), columns)}


@bp.get("/changes-in-equity")
@requires("read", is_heavy=True)
@bp.arguments(PeriodQuerySchema, location="query")
@bp.response(200, wrapped("changesInEquity", ChangesInEquitySchema))
def changes_in_equity(query: dict[str, Any]) -> dict[str, Any]:
    """Get what moved equity in a period, by account."""
    columns = ReportColumns(periods.report_period(query["from_"], query["to"]))
    return {"changesInEquity": queries.reports.equity_changes.changes_in_equity(organization_id(), columns)}


@bp.get("/day-book")
@requires("read", is_heavy=True)
@bp.arguments(DayBookQuerySchema, location="query")
@bp.response(200, listing("lines", DayBookLineSchema, debit=fields.Amount(), credit=fields.Amount()))
def day_book(query: dict[str, Any]) -> dict[str, Any]:
    """List the legs of a period by day and entry, with the accounts on their other side; debits equal credits."""
    here, period = organization_id(), periods.report_period(query["from_"], query["to"])
    after = paging.decode(query["cursor"], "dii")
    page = queries.journal.day_books.listed(here, period, after=after, limit=query["limit"])
    base = queries.access.organizations.base_currency(here)
    debit, credit = queries.journal.day_books.totals(here, period, base)
    return {**paging.answer("lines", page), "debit": debit, "credit": credit}


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


@bp.get("/aged-receivables")
@requires("read")
@bp.arguments(AsOfQuerySchema, location="query")
@bp.response(200, wrapped("agedReceivables", AgedReportSchema))
def aged_receivables(query: dict[str, Any]) -> dict[str, Any]:
    """Get what customers owe, by party and by how long it has been due."""
    day = periods.report_day(query["as_of"])
    return {"agedReceivables": queries.items.ageing.report(organization_id(), OwedSide.RECEIVABLES, day)}


@bp.get("/aged-payables")
@requires("read")
@bp.arguments(AsOfQuerySchema, location="query")
@bp.response(200, wrapped("agedPayables", AgedReportSchema))
def aged_payables(query: dict[str, Any]) -> dict[str, Any]:
    """Get what is owed to suppliers, below zero, by party and by how long it has been due."""
    day = periods.report_day(query["as_of"])
    return {"agedPayables": queries.items.ageing.report(organization_id(), OwedSide.PAYABLES, day)}


@bp.get("/party-statement")
@requires("read")
@bp.arguments(StatementQuerySchema, location="query")
@bp.response(200, wrapped("partyStatement", PartyStatementSchema))
def party_statement(query: dict[str, Any]) -> dict[str, Any]:
    """Get what moved between a party and us in a period, and what is open at its end."""
    period = periods.report_period(query["from_"], query["to"])
    return {
        "partyStatement": queries.items.party_statements.statement(
            organization_id(), query["org_merchant_id"], period
        )
    }


@bp.get("/expected-cash")
@requires("read")
@bp.arguments(AsOfQuerySchema, location="query")
@bp.response(200, wrapped("expectedCash", ExpectedCashSchema))
def expected_cash(query: dict[str, Any]) -> dict[str, Any]:
    """Get the cash that open items bring, by the day on which they are due."""
    return {
        "expectedCash": queries.items.ageing.expected(organization_id(), periods.report_day(query["as_of"]))
    }
