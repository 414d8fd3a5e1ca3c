"""Read-only queries on the books, one module per noun."""

from webapp.queries import (
    access,
    accounts,
    audit,
    closes,
    currencies,
    documents,
    effects,
    finding,
    imports,
    items,
    journal,
    matching,
    reconciliation,
    reports,
    rules,
    suggestions,
    tax,
    transactions,
    transfers,
)
