"""Proposed transfers, open items and their settlements."""

from webapp.queries.transfers import open_items, proposed, settlements, watched

__all__ = ["open_items", "proposed", "settlements", "watched"]
