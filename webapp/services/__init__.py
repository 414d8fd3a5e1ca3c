"""The verbs: the only place that changes the books; they flush, never commit."""

from webapp.services import (
    accounts,
    edits,
    exchange_rates,
    feed_accounts,
    manual_entries,
    merchants,
    organizations,
    projects,
    rules,
    sessions,
    tokens,
    transactions,
    users,
    voids,
)

__all__ = [
    "accounts",
    "edits",
    "exchange_rates",
    "feed_accounts",
    "manual_entries",
    "merchants",
    "organizations",
    "projects",
    "rules",
    "sessions",
    "tokens",
    "transactions",
    "users",
    "voids",
]
