"""Receipts and bills: filed, described, attached."""

from webapp.services.documents import declines, documents, relations

__all__ = ["declines", "documents", "relations"]
