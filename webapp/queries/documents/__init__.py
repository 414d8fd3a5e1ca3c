"""Documents: their records, their pages, what they may belong to, and what keeps one from being deleted."""

from webapp.queries.documents import bookings, candidates, deletion_blockers, documents, findings, pages

__all__ = ["bookings", "candidates", "deletion_blockers", "documents", "findings", "pages"]
