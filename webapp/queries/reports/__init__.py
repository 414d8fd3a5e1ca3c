"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import (
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
