"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import (
    cash,
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
    "cash",
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
