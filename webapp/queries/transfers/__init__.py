"""Proposed transfers, and open items of watched accounts."""

from webapp.queries.transfers import open_items, proposed, sides, watched
