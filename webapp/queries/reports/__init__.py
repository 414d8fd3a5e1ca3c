"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import exports, general_ledger, registers, sparklines, statements

__all__ = ["exports", "general_ledger", "registers", "sparklines", "statements"]
