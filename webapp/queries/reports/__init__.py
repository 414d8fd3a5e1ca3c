"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import (
    dimensions,
    exports,
    general_ledger,
    registers,
    report_tables,
    sparklines,
    statements,
)

__all__ = [
    "dimensions",
    "exports",
    "general_ledger",
    "registers",
    "report_tables",
    "sparklines",
    "statements",
]
