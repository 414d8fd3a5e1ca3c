"""Read-only queries on the books, one module per noun."""

from webapp.queries import (
    access,
    accounts,
    audit,
    currencies,
    documents,
    effects,
    imports,
    journal,
    matching,
    reconciliation,
    reports,
    rule_decisions,
    rules,
    suggestions,
    transactions,
    transfers,
)

__all__ = [
    "access",
    "accounts",
    "audit",
    "currencies",
    "documents",
    "effects",
    "imports",
    "journal",
    "matching",
    "reconciliation",
    "reports",
    "rule_decisions",
    "rules",
    "suggestions",
    "transactions",
    "transfers",
]
