"""Receipts and bills: filed, described, attached."""

from webapp.services.documents import declines, documents, parties, relations

__all__ = ["declines", "documents", "parties", "relations"]
