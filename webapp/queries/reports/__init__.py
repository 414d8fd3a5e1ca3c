"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import (
    dimension_results,
    dimensions,
    exports,
    general_ledger,
    ledger_order,
    registers,
    report_tables,
    sparklines,
    statements,
    trial_balances,
)

__all__ = [
    "dimension_results",
    "dimensions",
    "exports",
    "general_ledger",
    "ledger_order",
    "registers",
    "report_tables",
    "sparklines",
    "statements",
    "trial_balances",
]
