"""Statements, ledgers, registers, exports."""

from webapp.queries.accounts import balances
from webapp.queries.reports import (
    dimension_results,
    dimensions,
    exports,
    general_ledger,
    ledger_order,
    registers,
    report_tables,
    stated_balances,
    statements,
    trial_balances,
)
