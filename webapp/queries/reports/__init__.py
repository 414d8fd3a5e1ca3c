"""Statements, ledgers, registers, exports."""

from webapp.queries.reports import dimensions, exports, general_ledger, registers, sparklines, statements

__all__ = ["dimensions", "exports", "general_ledger", "registers", "sparklines", "statements"]
