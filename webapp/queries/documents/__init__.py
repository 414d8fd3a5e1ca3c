"""Documents: their records, their pages, and what stands against deleting one."""

from webapp.queries.documents import deletion_blockers, documents, pages

__all__ = ["deletion_blockers", "documents", "pages"]
