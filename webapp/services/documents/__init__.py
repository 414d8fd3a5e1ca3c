"""Receipts and bills: filed, described, attached."""

from webapp.services.documents import bookings, declines, documents, parties, relations

__all__ = ["bookings", "declines", "documents", "parties", "relations"]
