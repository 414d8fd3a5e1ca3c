"""Stored files and how long they stay."""

from webapp.queries.storage import retention

__all__ = ["retention"]
