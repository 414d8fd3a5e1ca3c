"""The verbs: the only place that changes the books; they flush, never commit."""

from webapp.services import (
    access,
    accounts,
    banks,
    bookkeeping,
    closes,
    documents,
    feeds,
    imports,
    inbox,
    items,
    moving,
    reconciliation,
    rules,
    tax,
    transactions,
    undo,
)
