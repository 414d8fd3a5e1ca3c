"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import (
    ageing,
    cash,
    dimension_results,
    dimensions,
    expected_cash,
    exports,
    general_ledger,
    ledger_order,
    party_statements,
    registers,
    report_tables,
    sparklines,
    statements,
    trial_balances,
)

__all__ = [
    "ageing",
    "cash",
    "dimension_results",
    "dimensions",
    "expected_cash",
    "exports",
    "general_ledger",
    "ledger_order",
    "party_statements",
    "registers",
    "report_tables",
    "sparklines",
    "statements",
    "trial_balances",
]
