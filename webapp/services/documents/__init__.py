"""Receipts and bills: filed, described, attached."""

from webapp.services.documents import documents, relations

__all__ = ["documents", "relations"]
