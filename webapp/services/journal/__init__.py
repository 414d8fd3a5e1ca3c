"""Journal entries: drafts, posting, corrections, exchange differences, and the legs opposite a bank line."""

# Whoever can post anything has imported this package, so that no act ends without realising its differences.
from webapp.services.journal import kept_items, nil_items, realisations

__all__ = ["kept_items", "nil_items", "realisations"]
