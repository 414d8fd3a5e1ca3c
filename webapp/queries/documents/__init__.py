"""Documents: their records, their pages, what they may belong to, and what keeps one from being deleted."""

from webapp.queries.documents import (
    candidates,
    deletion_blockers,
    documents,
    evidence,
    findings,
    pages,
    parties,
    payments,
    same_invoices,
    suggestions,
    texts,
)

__all__ = [
    "candidates",
    "deletion_blockers",
    "documents",
    "evidence",
    "findings",
    "pages",
    "parties",
    "payments",
    "same_invoices",
    "suggestions",
    "texts",
]
