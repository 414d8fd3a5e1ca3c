"""Statements, ledgers, registers, exports."""

from webapp.queries.accounts import balances
from webapp.queries.reports import (
    cash_flows,
    dimension_results,
    dimensions,
    equity_changes,
    exports,
    general_ledger,
    ledger_order,
    registers,
    report_tables,
    stated_balances,
    statements,
    trial_balances,
)
