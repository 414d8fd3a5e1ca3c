"""Documents: their records, their pages, and what keeps one from being deleted."""

from webapp.queries.documents import deletion_blockers, documents, findings, pages

__all__ = ["deletion_blockers", "documents", "findings", "pages"]
