"""The verbs: the only place that changes the books; they flush, never commit."""

from webapp.services import (
    edits,
    feed_accounts,
    manual_entries,
    organizations,
    sessions,
    tokens,
    transactions,
    users,
    voids,
)

__all__ = [
    "edits",
    "feed_accounts",
    "manual_entries",
    "organizations",
    "sessions",
    "tokens",
    "transactions",
    "users",
    "voids",
]
