"""Proposed transfers, and open items of watched accounts."""

from webapp.queries.transfers import destinations, open_items, proposed, sides, watched
